// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import Synchronization

/// The files that have arrived for controls of screens; loops find them here, and wait for no disk.
///
/// A file is there until no input can ask for it again: some time after the last holder of its value has let go.
final class ArrivedFiles: Sendable {
  private struct Entry {
    let record: UploadRecord
    let path: String
    /// The input that has had the file.
    var input: String?
    var holders = 0
    /// When the last holder has let go, in seconds since 1970.
    var released: Double?
    var isTaken = false
  }

  private let entries = Mutex<[String: Entry]>([:])
  private let problem = Mutex<UploadFailure?>(nil)
  private let clock: @Sendable () -> Double
  /// Where files are that have arrived at other servers; nil if there are none.
  private let shared: (any UploadFiles)?

  /// No files.
  init(sharing shared: (any UploadFiles)? = nil, clock: @escaping @Sendable () -> Double) {
    (self.shared, self.clock) = (shared, clock)
  }

  /// A file has arrived, and was looked at.
  ///
  /// - Parameters:
  ///   - id: Names its upload.
  ///   - record: What is known of it, its type and SHA-256 among that.
  ///   - path: Where its bytes are.
  func add(_ id: String, _ record: UploadRecord, at path: String) {
    entries.withLock { $0[id] = $0[id] ?? Entry(record: record, path: path) }
  }

  func remove(_ id: String) { entries.withLock { $0[id] = nil } }

  /// Gives a file to an input.
  ///
  /// - Throws: `BindingError` `unknown-upload` if it is not there for this control, or another input has had it.
  func file(_ id: String, for control: FileControl, by input: String) throws(BindingError) -> UploadedFile {
    if let shared, !entries.withLock({ $0[id] != nil }) { look(for: id, in: shared) }
    let found = entries.withLock { entries -> Entry? in
      guard let entry = entries[id], entry.record.control == control, entry.input ?? input == input else {
        return nil
      }
      entries[id]?.input = input
      entries[id]?.holders += 1
      entries[id]?.released = nil
      return entry
    }
    guard let found, let contents = found.record.contents else { throw .unknownUpload }
    return UploadedFile(
      HeldBytes(FileBytes(path: found.path, id: id), in: self), name: found.record.name,
      type: contents.type, size: found.record.length, sha256: contents.sha256, id: id)
  }

  /// Looks for a file that has arrived at another server: a loop waits for one small file, as it does when a program takes one.
  private func look(for id: String, in shared: any UploadFiles) {
    do throws(UploadFailure) {
      guard let record = try shared.record(of: id), record.contents != nil, !record.isDone else { return }
      add(id, record, at: shared.path(of: id))
    } catch {
      // A file that cannot be known is not there.
      problem.withLock { $0 = error }
    }
  }

  /// Why a file could not be known, since somebody asked last.
  func takeProblem() -> UploadFailure? { problem.withLock { $0.take() } }

  fileprivate func release(_ id: String) {
    entries.withLock { entries in
      entries[id]?.holders -= 1
      if entries[id]?.holders == 0 { entries[id]?.released = clock() }
    }
  }

  /// Somebody has taken a file; its bytes are no longer here.
  func noteTaken(_ id: String) { entries.withLock { $0[id]?.isTaken = true } }

  /// Whether an input has had a file.
  func isClaimed(_ id: String) -> Bool { entries.withLock { $0[id]?.input != nil } }

  /// Whether somebody holds a file.
  func isHeld(_ id: String) -> Bool { entries.withLock { $0[id]?.holders ?? 0 > 0 } }

  /// The files that somebody holds.
  var held: [String] { entries.withLock { $0.filter { $0.value.holders > 0 }.map(\.key) } }

  /// Whether somebody has taken a file.
  func isTaken(_ id: String) -> Bool { entries.withLock { $0[id]?.isTaken ?? false } }

  /// The files that nobody has held since a moment.
  func released(before moment: Double) -> [String] {
    entries.withLock { $0.filter { $0.value.released.map { $0 <= moment } ?? false }.map(\.key) }
  }
}

/// The bytes of a file for as long as a program holds it.
private final class HeldBytes: UploadedBytes {
  private let file: FileBytes
  private let files: ArrivedFiles

  init(_ file: FileBytes, in files: ArrivedFiles) { (self.file, self.files) = (file, files) }

  deinit { files.release(file.id) }

  func bytes() throws -> [UInt8] { try file.bytes() }

  func take(to destination: String, _ sha256: String) throws {
    try file.take(to: destination, sha256)
    files.noteTaken(file.id)
  }
}
