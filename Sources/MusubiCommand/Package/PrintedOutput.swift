// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Synchronization

/// What a program prints: it passes it on at once, and keeps the end of it.
final class PrintedOutput: Sendable {
  /// How much is kept: what a compiler says of many files.
  private static let maxBytes = 256 * 1024

  private let input: Int32
  private let kept = Mutex<[UInt8]>([])
  private let isComplete = DispatchSemaphore(value: 0)

  /// Passes on what will be printed.
  ///
  /// - Parameter destination: The descriptor that gets it.
  /// - Throws: `ToolError` if this process may open no more files.
  init(passedTo destination: Int32) throws {
    let (reading, writing) = try DescriptorPair.pipe()
    input = writing
    Thread.detachNewThread { [self] in pass(reading, to: destination) }
  }

  /// Starts the program.
  ///
  /// - Parameter start: Starts it with a descriptor as its standard output or error.
  /// - Returns: The program.
  func of(_ start: (Int32) throws -> ChildProcess) rethrows -> ChildProcess {
    // The program has a copy of its own.
    defer { close(input) }
    return try start(input)
  }

  /// The end of what a program has printed that has ended.
  func text() -> String {
    // A program that it has started may go on, and holds the pipe.
    _ = isComplete.wait(timeout: .now() + .seconds(1))
    return kept.withLock { String(decoding: $0, as: UTF8.self) }
  }

  private func pass(_ reading: Int32, to destination: Int32) {
    var piece = [UInt8](repeating: 0, count: 16 * 1024)
    while true {
      let count = read(reading, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      var sent = 0
      while sent < count {
        let written = piece[sent..<count].withUnsafeBytes { write(destination, $0.baseAddress, $0.count) }
        // A terminal that has gone takes nothing, and the program still has to be read.
        guard written > 0 || errno == EINTR else { break }
        sent += max(0, written)
      }
      kept.withLock { kept in
        kept += piece[..<count]
        if kept.count > Self.maxBytes { kept.removeFirst(kept.count - Self.maxBytes) }
      }
    }
    close(reading)
    isComplete.signal()
  }
}
