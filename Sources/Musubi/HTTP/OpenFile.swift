// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A file that is read piece by piece; closed when nobody reads it any more.
final class OpenFile: Sendable {
  /// Its length when it was opened.
  let bytes: Int
  /// The value of `ETag`: another one as soon as the file is another, or has been changed.
  let tag: String
  private let descriptor: Int32

  private init(_ descriptor: Int32, _ status: stat) {
    self.descriptor = descriptor
    bytes = Int(status.st_size)
    let change = UInt64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ UInt64(status.st_ctim.tv_nsec)
    tag =
      "\""
      + [UInt64(status.st_ino), UInt64(bytes), change].map { String($0, radix: 16) }.joined(separator: "-")
      + "\""
  }

  /// Opens a file.
  ///
  /// - Parameter path: The file.
  /// - Returns: The open file.
  /// - Throws: `HTTPError` 404 if there is no such file, or it cannot be read.
  static func open(_ path: String) throws(HTTPError) -> OpenFile {
    // A pipe would wait for whoever writes.
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw HTTPError(404, "There is no such file.") }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw HTTPError(404, "There is no such file.")
    }
    return OpenFile(descriptor, status)
  }

  deinit { close(descriptor) }

  /// Sends a part of the file; less if it has become shorter.
  ///
  /// - Parameters:
  ///   - range: The part.
  ///   - writer: Takes the bytes.
  /// - Throws: An error if the file cannot be read, or the browser has gone.
  func write(_ range: Range<Int>, to writer: ResponseWriter) async throws {
    var rest = range
    while !rest.isEmpty {
      let piece = try read(at: rest.lowerBound, rest.count)
      guard !piece.isEmpty else { return }
      try await writer.write(piece)
      rest.removeFirst(piece.count)
    }
  }

  /// The bytes at a place, as many as go into a piece; none at the end.
  private func read(at offset: Int, _ most: Int) throws -> [UInt8] {
    var problem: Int32 = 0
    let piece = [UInt8](unsafeUninitializedCapacity: min(most, ResponseWriter.pieceBytes)) { buffer, count in
      let taken = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if taken < 0 { problem = errno }
      count = max(0, taken)
    }
    guard problem == 0 else {
      throw ResponseProblem("A file cannot be read: \(String(cString: strerror(problem))).")
    }
    return piece
  }
}
