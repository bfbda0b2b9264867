// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// A file that somebody has sent, complete and checked; it is deleted unless it is taken.
public struct UploadedFile: Sendable {
  /// Names the upload, in letters and digits; the same if it is handed over again.
  public let id: String
  /// What the browser calls the file, without folders and control characters; not to be used as a path.
  public let name: String
  /// The media type by the file's first bytes, such as `image/png`; `application/octet-stream` if they say nothing.
  public let type: String
  /// The number of bytes.
  public let size: Int
  /// The SHA-256 of the bytes in 64 hexadecimal digits.
  public let sha256: String
  private let path: String

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
    self.path = path
    self.name = name
    self.type = type
    self.size = size
    self.sha256 = sha256
    self.id = id
  }

  /// The bytes, all at once: for small files.
  ///
  /// - Returns: The bytes.
  /// - Throws: An error if the file cannot be read, or is not there any more.
  public func bytes() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

  /// Moves the file to where it stays; a file that is there already is replaced.
  ///
  /// The move is one step: whoever looks finds no file or all of it. Only the server's user may read it (mode 0600).
  ///
  /// - Parameter destination: The path, which must not be made of `name` unchecked: `id` and `sha256` are safe.
  /// - Throws: `UploadFailure` if the file cannot be moved there, or was taken before.
  public func take(to destination: String) throws {
    guard rename(path, destination) != 0 else { return }
    guard errno == EXDEV else { throw UploadFailure("cannot be moved to \(destination)", errno) }
    // Another file system: copied beside the destination first.
    let copy = destination + ".\(id.prefix(16)).part"
    unlink(copy)
    do {
      try FileManager.default.copyItem(atPath: path, toPath: copy)
    } catch {
      throw UploadFailure("cannot be copied to \(destination): \(error.localizedDescription)")
    }
    guard rename(copy, destination) == 0 else {
      let reason = errno
      unlink(copy)
      throw UploadFailure("cannot be moved to \(destination)", reason)
    }
    unlink(path)
  }
}

/// Why the file of an upload cannot be written, read or moved, as one sentence.
public struct UploadFailure: Error, Equatable, CustomStringConvertible {
  /// One sentence.
  public let description: String
  /// Whether the disk has no room.
  let isFull: Bool

  init(_ problem: String, _ number: Int32? = nil) {
    description = "A file \(problem)" + (number.map { ": " + String(cString: strerror($0)) } ?? "") + "."
    isFull = number == ENOSPC || number == EDQUOT
  }
}
