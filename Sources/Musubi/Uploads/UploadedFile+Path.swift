// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
public import MusubiBinding
import MusubiServer

extension UploadedFile {
  /// A file for tests of what takes it.
  ///
  /// - Parameters:
  ///   - path: Where the bytes are.
  ///   - name: What the browser calls it.
  ///   - type: The media type.
  ///   - size: The number of bytes.
  ///   - sha256: The SHA-256 in hexadecimal digits.
  ///   - id: Names the upload.
  public init(at path: String, name: String, type: String, size: Int, sha256: String, id: String = "upload") {
    self.init(FileBytes(path: path, id: id), name: name, type: type, size: size, sha256: sha256, id: id)
  }
}

/// The bytes of a file on the disk.
struct FileBytes: UploadedBytes {
  let path: String
  /// Names the upload.
  let id: String

  func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

  func take(to destination: String, _ sha256: String) throws {
    guard rename(path, destination) != 0 else { return }
    let reason = errno
    guard reason == EXDEV else {
      // The server was killed after the move, and the file is handed over again.
      if reason == ENOENT, try Self.sha256(of: destination) == sha256 { return }
      throw UploadFailure("cannot be moved to \(destination)", reason)
    }
    // Another file system: copied beside the destination first.
    let copy = destination + ".\(id.prefix(16)).part"
    unlink(copy)
    do {
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      try Self.sync(copy)
      guard rename(copy, destination) == 0 else {
        throw UploadFailure("cannot be moved to \(destination)", errno)
      }
    } catch {
      unlink(copy)
      if let failure = error as? UploadFailure { throw failure }
      throw UploadFailure("cannot be copied to \(destination): \(error.localizedDescription)")
    }
    // Its name, too, is on the disk before the only other copy goes.
    try Self.sync(URL(filePath: destination).deletingLastPathComponent().path)
    unlink(path)
  }

  /// Waits until a file, or the names of a folder, would survive a loss of power.
  private static func sync(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw UploadFailure("cannot be read", errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw UploadFailure("cannot be written", errno) }
  }

  /// The SHA-256 of a file in hexadecimal digits; nil if there is none.
  private static func sha256(of path: String) throws -> String? {
    guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
    var hash = Cryptography.SHA256()
    while let piece = try handle.read(upToCount: 1 << 18), !piece.isEmpty { hash.add(Array(piece)) }
    return Hexadecimal.digits(hash.hash())
  }
}

/// Bytes as hexadecimal digits.
enum Hexadecimal {
  static func digits(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
