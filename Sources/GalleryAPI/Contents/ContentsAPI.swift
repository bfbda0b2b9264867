// SPDX-License-Identifier: Apache-2.0
package import Foundation
import MusubiTables
import MusubiSQLite

/// The contents of the gallery, kept in a SQLite file, in memory only, or in a PostgreSQL database that several servers have.
///
/// May be used from everywhere and never blocks its caller. When a call returns, its change is on the disk,
/// if there is one: neither a kill of the process nor a loss of power takes it back.
package final class ContentsAPI: Sendable {
  private let database: Tables
  private let configuration: ContentsConfiguration
  private let now: @Sendable () -> Date

  /// Opens the contents, and creates folder and file the first time; blocks, so call it at start-up.
  ///
  /// - Parameters:
  ///   - folder: Where the file `contents.sqlite` is; nil keeps the contents in memory and writes nothing.
  ///   - configuration: Bounds and durability.
  ///   - now: The clock that dates the posts.
  /// - Throws: `ContentsError` if the folder cannot be created or the file not be opened.
  package init(
    folder: URL?, configuration: ContentsConfiguration = ContentsConfiguration(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws(ContentsError) {
    self.configuration = configuration
    self.now = now
    do {
      database = .file(
        try DatabaseQueue(
          .file("contents.sqlite", in: folder?.path), configuration: configuration.database,
          migrator: ContentsSchema.migrator))
    } catch {
      throw ContentsError(error)
    }
  }

  /// The contents in a database that several servers have.
  ///
  /// - Parameters:
  ///   - database: The database, with the tables of `GalleryTables`.
  ///   - configuration: Bounds; those of SQLite mean nothing, but for the size.
  ///   - now: The clock that dates the posts.
  package init(
    database: GalleryTables, configuration: ContentsConfiguration = ContentsConfiguration(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.database = database.tables
    self.configuration = configuration
    self.now = now
  }

  /// The newest entries, the newest first.
  ///
  /// - Parameter limit: The most entries to return; 1,000.
  /// - Returns: The entries.
  /// - Throws: `ContentsError`.
  package func fetch(limit: Int = 1000) async throws(ContentsError) -> [Content] {
    try await translatingErrors {
      try await database.read { connection in
        try connection.rows(
          "SELECT id, title, text, author, time FROM content ORDER BY id DESC LIMIT $1", max(0, limit)
        ) { try Content($0) }
      }
    }
  }

  /// One entry.
  ///
  /// - Parameter id: Its number.
  /// - Returns: The entry.
  /// - Throws: `ContentsError` of kind `notFound` if there is none.
  package func content(_ id: Int64) async throws(ContentsError) -> Content {
    let found = try await translatingErrors {
      try await database.read { try ContentsSchema.content(id, in: $0) }
    }
    guard let found else { throw .notFound(id) }
    return found
  }

  /// Adds an entry, once for each key.
  ///
  /// The key is stored in the transaction that adds the entry. So an input that comes twice, because the server
  /// was killed before it could confirm it, leads to one entry.
  ///
  /// - Parameters:
  ///   - title: Its title; not blank.
  ///   - text: Its text; not blank.
  ///   - author: Who wrote it; may be empty.
  ///   - idempotencyKey: Names the input that causes the post: `session/number`.
  /// - Returns: The entry; for a repeated key the one that was added first, even if it was deleted meanwhile.
  /// - Throws: `ContentsError`; the key is not used up then.
  package func post(
    title: String, text: String, author: String, idempotencyKey: String
  ) async throws(ContentsError) -> Content {
    try check(title, .title, limit: configuration.maxTitleLength)
    try check(text, .text, limit: configuration.maxTextLength)
    try check(author, .author, limit: configuration.maxAuthorLength, mayBeEmpty: true)
    try check(idempotencyKey, .idempotencyKey, limit: 200)
    let time = Int64((now().timeIntervalSince1970 * 1000).rounded())
    let maxMebibytes = configuration.maxMebibytes
    let memory = configuration.repetitionMemory.components.seconds * 1000
    return try await translatingErrors {
      try await database.write { connection in
        try connection.run("DELETE FROM post WHERE time < $1", time - memory)
        let earlier = try connection.row(
          "SELECT content, time FROM post WHERE key = $1", idempotencyKey
        ) { (id: try $0.value(0, as: Int64.self), time: try $0.value(1, as: Int64.self)) }
        if let earlier {
          return try ContentsSchema.content(earlier.id, in: connection)
            ?? Content(id: earlier.id, title: title, text: text, author: author, milliseconds: earlier.time)
        }
        let lengths = "octet_length(title) + octet_length(text) + octet_length(author)"
        try GalleryTables.checkSpace(
          connection, of: "content", for: title.utf8.count + text.utf8.count + author.utf8.count,
          beside: "SELECT coalesce(sum(\(lengths)), 0)::int8 FROM content", limit: maxMebibytes)
        let id = try connection.row(
          "INSERT INTO content (title, text, author, time) VALUES ($1, $2, $3, $4) RETURNING id", title, text,
          author, time
        ) { try $0.value(0, as: Int64.self) }
        guard let id else { throw ContentsError(.unavailable, "The database has named no entry.") }
        try connection.run("INSERT INTO post VALUES ($1, $2, $3)", idempotencyKey, id, time)
        return Content(id: id, title: title, text: text, author: author, milliseconds: time)
      }
    }
  }

  /// Removes an entry.
  ///
  /// An input that comes twice finds the entry gone; for its author that is a success.
  ///
  /// - Parameter id: Its number.
  /// - Throws: `ContentsError` of kind `notFound` if there is none.
  package func delete(_ id: Int64) async throws(ContentsError) {
    let deleted = try await translatingErrors {
      try await database.write { try $0.run("DELETE FROM content WHERE id = $1", id) }
    }
    guard deleted == 1 else { throw .notFound(id) }
  }

  /// Finishes what waits and closes the file; every later call fails as `closed`.
  package func close() async { await database.close() }

  private func check(
    _ value: String, _ field: ContentsError.Field, limit: Int, mayBeEmpty: Bool = false
  ) throws(ContentsError) {
    guard mayBeEmpty || value.contains(where: { !$0.isWhitespace }) else {
      throw ContentsError(.empty(field), "The \(field.rawValue) is empty.")
    }
    guard value.unicodeScalars.count <= limit else {
      throw ContentsError(
        .tooLong(field, limit: limit), "The \(field.rawValue) has more than \(limit) characters.")
    }
  }

  private func translatingErrors<Output>(
    _ body: () async throws -> Output
  ) async throws(ContentsError) -> Output {
    do {
      return try await body()
    } catch {
      throw ContentsError(error)
    }
  }
}

extension ContentsError {
  fileprivate static func notFound(_ id: Int64) -> Self {
    Self(.notFound(id: id), "There is no entry \(id).")
  }
}
