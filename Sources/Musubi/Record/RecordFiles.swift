// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Glibc
import MusubiServer
import MusubiSession
import MusubiStorage
import Synchronization

/// The folder with the records of rooms: one file for each, written by a thread of its own.
///
/// All files together stay below a limit: the oldest ones go when three quarters of it are taken. May be used on any loop.
final class RecordFiles: RecordFolder, Sendable {
  private struct State {
    /// The bytes of all files, with those that wait.
    var bytes: Int
    /// The lines that wait to be written, by the names of their files, in the order of the first.
    var waiting: [(name: String, lines: [UInt8])] = []
    var waitingBytes = 0
    var waitingCount = 0
    var count = 0
    var hasFailed = false
  }

  /// More than so many bytes do not wait for the disk.
  private static let maxWaitingBytes = 8 << 20

  private let folder: String
  private let limit: Int
  /// What the names of this process's files have in common, in front of their numbers.
  let run: String
  private let logger: Logger
  private let state: Mutex<State>
  private let thread = DispatchQueue(label: "musubi.records")

  /// Makes the folder if it is not there.
  ///
  /// - Parameters:
  ///   - folder: Its path; nobody but the owner may read the files.
  ///   - limit: The most bytes of all records in it.
  ///   - logger: Is told when records cannot be written.
  /// - Throws: `StorageError` if it cannot be used.
  init(_ folder: String, limit: Int, _ logger: Logger) throws(StorageError) {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StorageError("\(folder) cannot be used for --record: \(error.localizedDescription).")
    }
    guard access(folder, W_OK | X_OK) == 0 else {
      throw StorageError("\(folder) cannot be used for --record: \(String(cString: strerror(errno))).")
    }
    self.folder = folder
    self.limit = limit
    self.logger = logger
    run = String(Int(Date().timeIntervalSince1970)) + "-" + String(getpid(), radix: 36)
    do {
      state = Mutex(State(bytes: try Self.records(in: folder).reduce(0) { $0 + $1.bytes }))
    } catch {
      throw StorageError("\(folder) cannot be used for --record: \(error.localizedDescription).")
    }
  }

  /// The records of a folder, the oldest first.
  private static func records(in folder: String) throws -> [(path: String, bytes: Int)] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    var records: [(time: Int, path: String, bytes: Int)] = []
    for name in names where name.hasSuffix(".record") {
      let path = "\(folder)/\(name)"
      var facts = stat()
      // One that has just gone takes no space.
      guard lstat(path, &facts) == 0 else { continue }
      records.append((facts.st_mtim.tv_sec * 1_000_000_000 + facts.st_mtim.tv_nsec, path, Int(facts.st_size)))
    }
    return records.sorted { ($0.time, $0.path) < ($1.time, $1.path) }.map { ($0.path, $0.bytes) }
  }

  func file(ofScreen screen: String) -> (any RecordFile)? {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    let name = "\(screen.replacing(":", with: "-"))-\(run)-\(number).record"
    return File(self, name: name, number: UInt32(truncatingIfNeeded: number), limit: limit / 8)
  }

  /// Takes lines for a file.
  ///
  /// - Returns: Whether more may come.
  fileprivate func write(_ lines: [UInt8], to name: String) -> Bool {
    let (isTaken, isFirst) = state.withLock { state in
      guard state.bytes + lines.count <= limit,
        state.waitingBytes + lines.count <= Self.maxWaitingBytes
      else { return (false, false) }
      state.bytes += lines.count
      state.waitingBytes += lines.count
      state.waitingCount += 1
      // What leads to a trap is in the record.
      LastWords.begin()
      if let last = state.waiting.indices.last, state.waiting[last].name == name {
        state.waiting[last].lines += lines
      } else {
        state.waiting.append((name, lines))
      }
      return (true, state.waiting.count == 1 && state.waitingBytes == lines.count)
    }
    if isFirst { thread.async { self.writeWaiting() } }
    return isTaken
  }

  /// Waits until everything is written that was taken.
  func flush() { thread.sync { writeWaiting() } }

  private func writeWaiting() {
    let (waiting, bytes, count) = state.withLock { state in
      defer { (state.waiting, state.waitingBytes, state.waitingCount) = ([], 0, 0) }
      return (state.waiting, state.bytes, state.waitingCount)
    }
    for (name, lines) in waiting { append(lines, to: name) }
    LastWords.end(count)
    if bytes > limit / 4 * 3 { makeSpace() }
  }

  private func append(_ lines: [UInt8], to name: String) {
    let isNew = lines.starts(with: "{\"version\"".utf8)
    // A record that was deleted does not begin again in its middle.
    let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (isNew ? O_CREAT | O_EXCL : 0)
    let file = open("\(folder)/\(name)", flags, 0o600)
    guard file >= 0 else {
      if errno != ENOENT { fail() }
      return
    }
    defer { close(file) }
    var rest = lines[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return fail() }
      rest = rest.dropFirst(count)
    }
  }

  private func fail() { fail(String(cString: strerror(errno))) }

  private func fail(_ reason: String) {
    let isFirst = state.withLock { state in
      defer { state.hasFailed = true }
      return !state.hasFailed
    }
    if isFirst { logger.log(.error, "record not written", ["folder": folder, "message": reason]) }
  }

  /// Deletes the oldest records until half of the limit is free.
  private func makeSpace() {
    let records: [(path: String, bytes: Int)]
    do { records = try Self.records(in: folder) } catch { return fail(error.localizedDescription) }
    var bytes = records.reduce(0) { $0 + $1.bytes }
    for record in records {
      guard bytes > limit / 2 else { break }
      if unlink(record.path) == 0 { bytes -= record.bytes }
    }
    state.withLock { $0.bytes = bytes + $0.waitingBytes }
  }

  /// One room's file.
  private final class File: RecordFile {
    let limit: Int
    let number: UInt32
    private let files: RecordFiles
    private let name: String

    init(_ files: RecordFiles, name: String, number: UInt32, limit: Int) {
      (self.files, self.name, self.number, self.limit) = (files, name, number, limit)
    }

    func write(_ lines: [UInt8]) -> Bool { files.write(lines, to: name) }
  }
}
