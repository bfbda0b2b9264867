// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiSQLite

/// The file `sessions.sqlite`: its schema, and the way from the one before.
///
/// An older program's file is copied into `sessions.sqlite.copy`, which takes its place when it is complete. A kill on the
/// way leaves the older file as it was, and the next start begins the copy again.
enum StoreFile {
  /// What `PRAGMA user_version` says of a file of this program; 0 in older ones.
  static let version = 2

  /// Brings the file up to date; blocks.
  ///
  /// - Parameters:
  ///   - path: The file, which need not be there.
  ///   - busyTimeout: How long to wait for another process that uses it.
  /// - Throws: `SQLiteError`, or a `StorageError`; the file is as it was then.
  static func prepare(_ path: String, busyTimeout: Duration) throws {
    let copy = path + ".copy"
    for suffix in ["", "-wal", "-shm", "-journal"] { try remove(copy + suffix) }
    guard FileManager.default.fileExists(atPath: path) else { return }
    guard try copies(path, into: copy, busyTimeout: busyTimeout) else { return }
    // A log that is left over would be taken for the new file's.
    for log in [path + "-wal", copy + "-wal"] where FileManager.default.fileExists(atPath: log) {
      throw StorageError("\(log) is left over from an older version's file; start that version once more.")
    }
    try sync(copy)
    guard rename(copy, path) == 0 else {
      throw StorageError("\(copy) cannot take the place of \(path): \(String(cString: strerror(errno))).")
    }
    try sync(URL(fileURLWithPath: path).deletingLastPathComponent().path)
  }

  /// Copies an older file; closes both.
  ///
  /// - Returns: False if it is no older one.
  private static func copies(_ path: String, into copy: String, busyTimeout: Duration) throws -> Bool {
    var configuration = ConnectionConfiguration()
    configuration.isExclusive = true
    configuration.busyTimeout = busyTimeout
    let old = try SQLiteConnection(.file(path), configuration: configuration)
    let found = try old.userVersion
    guard found <= version else {
      throw SQLiteError(.newerSchema, "The file has version \(found), and this program knows \(version)")
    }
    let isOlder = try old.row("SELECT 1 FROM sqlite_schema WHERE name = 'room'") { _ in true } ?? false
    guard found == 0, isOlder else { return false }
    try OlderFile.migrator.migrate(old)
    configuration.vacuumsIncrementally = true
    let new = try SQLiteConnection(.file(copy), configuration: configuration)
    try migrator.migrate(new)
    try OlderFile.copy(from: old, to: new)
    return true
  }

  private static func remove(_ path: String) throws {
    guard unlink(path) != 0, errno != ENOENT else { return }
    throw StorageError("\(path) cannot be removed: \(String(cString: strerror(errno))).")
  }

  /// Waits until a file, or the names in a folder, are on the disk.
  private static func sync(_ path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { if file >= 0 { close(file) } }
    guard file >= 0, fsync(file) == 0 else {
      throw StorageError("\(path) cannot be written to the disk: \(String(cString: strerror(errno))).")
    }
  }

  static var migrator: Migrator {
    var migrator = Migrator()
    // Its name tells an older program that it does not know the file.
    migrator.register("records") { connection in
      try connection.runScript(
        """
        CREATE TABLE record (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, slot INTEGER NOT NULL,
          version INTEGER NOT NULL, bytes INTEGER NOT NULL, peer TEXT, made REAL NOT NULL, left REAL, room TEXT,
          data TEXT NOT NULL) STRICT;
        CREATE TABLE step (id INTEGER PRIMARY KEY, record INTEGER NOT NULL, version INTEGER NOT NULL,
          bytes INTEGER NOT NULL, data TEXT NOT NULL) STRICT;
        CREATE INDEX step_of_record ON step (record);
        CREATE TABLE strike (id INTEGER PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT;
        CREATE TABLE aside_room (id INTEGER PRIMARY KEY NOT NULL, record TEXT NOT NULL) STRICT;
        PRAGMA user_version = \(version);
        """)
    }
    // Whether a session has taken something of its page's.
    migrator.register("used-sessions") { connection in
      try connection.runScript("ALTER TABLE record ADD COLUMN is_used INTEGER NOT NULL DEFAULT 1;")
    }
    // The peers of a record's maker beside the first: a visitor's address.
    migrator.register("all-peers") { connection in
      try connection.runScript("ALTER TABLE record ADD COLUMN others TEXT;")
    }
    // Steps come here first; what is newer than all records has a greater number than their versions.
    migrator.register("journal") { connection in
      try connection.runScript(
        """
        CREATE TABLE journal (id INTEGER PRIMARY KEY, data TEXT NOT NULL) STRICT;
        INSERT INTO journal SELECT coalesce(max(version), 0) + 1, '' FROM record;
        """)
    }
    return migrator
  }
}

/// A data folder that one process at a time uses; others wait, or are refused.
final class FolderLock: Sendable {
  private let folder: Int32

  /// Locks a folder.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - timeout: How long to wait for another process; blocks.
  /// - Throws: `SQLiteError` of kind `busy`, or that the folder cannot be opened.
  init(_ path: String, waiting timeout: Duration) throws {
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw SQLiteError(.cannotOpen, String(cString: strerror(errno))) }
    let start = ContinuousClock.now
    while flock(folder, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR, .now - start < timeout else {
        throw SQLiteError(.busy, "Another process uses the folder")
      }
      usleep(10_000)
    }
  }

  deinit { close(folder) }
}
