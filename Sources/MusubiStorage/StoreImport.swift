// SPDX-License-Identifier: Apache-2.0
import MusubiSession

/// Copies all sessions and rooms from one store into another one that nobody has used yet, while no server runs.
///
/// ```
/// 1  every record of the other store is one of these, and the same        else: nothing is written, and an error
/// 2  the records that are missing there, some hundred a commit
/// ```
///
/// So an import that was interrupted is run again, and goes on; and one into a store that a server has used refuses.
package struct StoreImport {
  /// What was done.
  package struct Outcome: Equatable, Sendable {
    package var rooms = 0
    package var sessions = 0
    /// Records that the other store had from an earlier attempt.
    package var known = 0
    /// Sentences about records that cannot be read, and stay behind.
    package var broken: [String] = []
  }

  /// So many records are in one commit.
  private static let recordsPerCommit = 200

  private let source: any DurableStore
  private let target: any DurableStore
  private var outcome = Outcome()
  private var changes = StoreChanges()

  /// An import.
  ///
  /// - Parameters:
  ///   - source: The store with the records; it stays as it is.
  ///   - target: The store that gets them.
  package init(from source: any DurableStore, to target: any DurableStore) {
    self.source = source
    self.target = target
  }

  /// Copies the records.
  ///
  /// - Returns: What was done.
  /// - Throws: `StorageError` if the target has a record that the source does not have, or has otherwise; if a store cannot be
  ///   read or written.
  package mutating func run() async throws -> Outcome {
    let source = source
    let index = try await source.load()
    let there = try await target.load()
    try compare(there, with: index)
    for (key, entry) in index.rooms where there.rooms[key] == nil {
      guard var room = try read({ () throws(RecordError) in try source.room(key) }, of: key.text) else {
        continue
      }
      room.label = entry.label
      changes.rooms.append(room)
      outcome.rooms += 1
      try await commit(atLeast: Self.recordsPerCommit)
    }
    for (id, entry) in index.sessions where there.sessions[id] == nil {
      guard var session = try read({ () throws(RecordError) in try source.session(id) }, of: id) else {
        continue
      }
      session.label = entry.label
      session.isUsed = entry.isUsed
      changes.sessions.append(session)
      outcome.sessions += 1
      try await commit(atLeast: Self.recordsPerCommit)
    }
    try await commit(atLeast: 1)
    return outcome
  }

  /// Sees to it that the target has nothing but what an earlier attempt has written.
  private mutating func compare(_ there: StoredState, with index: StoredState) throws {
    for (key, entry) in there.rooms {
      let isSame = try index.rooms[key].map { mine in
        try mine.label == entry.label && target.room(key) == source.room(key)
      }
      guard isSame == true else { throw Self.used("the \(key.screen) of \"\(key.name)\"") }
    }
    for (id, entry) in there.sessions {
      let isSame = try index.sessions[id].map { mine in
        try mine.label == entry.label && target.session(id) == source.session(id)
      }
      guard isSame == true else { throw Self.used("the session \(id.prefix(6))…") }
    }
    outcome.known = there.rooms.count + there.sessions.count
  }

  private static func used(_ what: String) -> StorageError {
    StorageError(
      "The store in PostgreSQL has been used: \(what) is not as it is in sessions.sqlite; import into an empty database."
    )
  }

  /// Reads a record; nil if it is damaged, which the outcome tells.
  private mutating func read<Record>(
    _ body: () throws(RecordError) -> Record, of name: String
  ) throws -> Record? {
    do {
      return try body()
    } catch {
      guard case .broken = error else { throw StorageError("\(error)") }
      outcome.broken.append("\(name) cannot be read, and stays behind: \(error)")
      return nil
    }
  }

  private mutating func commit(atLeast count: Int) async throws {
    guard changes.rooms.count + changes.sessions.count >= count else { return }
    let target = target
    let failure: StoreFailure? = await withCheckedContinuation { [changes] continuation in
      target.commit(changes) { result in
        switch result {
        case .success: continuation.resume(returning: nil)
        case .failure(let failure): continuation.resume(returning: failure)
        }
      }
    }
    if let failure { throw StorageError(failure.message) }
    changes = StoreChanges()
  }
}
