// SPDX-License-Identifier: Apache-2.0

/// Bytes of a body that have arrived, and that the program has not read; belongs to a `RouteExchange`.
///
/// When it is full the socket is not read from, so that the browser waits instead of the server's memory.
final class ArrivingBody {
  /// So much waits at most, and the piece of the library that comes on top.
  static let maxBytes = 131_072
  /// With so many bytes somebody is at work; fewer could hold a place for ever.
  private static let stepBytes = 16_384

  private var bytes: [UInt8] = []
  private var reader: CheckedContinuation<[UInt8]?, any Error>?
  private var bytesSinceStep = 0
  private var hasEnded = false
  /// Whether all of it has arrived.
  private(set) var isComplete = false

  /// Whether no more is to be read from the socket.
  var isFull: Bool { bytes.count >= Self.maxBytes }

  /// Takes bytes that have arrived.
  ///
  /// - Returns: Whether so many have come that its time begins again.
  func add(_ arrived: UnsafeRawBufferPointer) -> Bool {
    bytes.append(contentsOf: arrived)
    hand()
    bytesSinceStep += arrived.count
    guard bytesSinceStep >= Self.stepBytes else { return false }
    bytesSinceStep = 0
    return true
  }

  /// All of it has arrived.
  func finish() {
    isComplete = true
    hand()
  }

  /// Nothing more comes: the browser has gone, or its time is over.
  func end() {
    hasEnded = true
    bytes = []
    hand()
  }

  /// Gives the next bytes to whoever asks for them, now or when they arrive.
  ///
  /// - Returns: Whether the socket was not read from because of them.
  func take(_ reader: CheckedContinuation<[UInt8]?, any Error>) -> Bool {
    let wasFull = isFull
    // One program reads one body.
    self.reader?.resume(throwing: BrowserHasGone())
    self.reader = reader
    hand()
    return wasFull
  }

  private func hand() {
    guard reader != nil, hasEnded || isComplete || !bytes.isEmpty, let reader = reader.take() else { return }
    guard !hasEnded else { return reader.resume(throwing: BrowserHasGone()) }
    guard !bytes.isEmpty else { return reader.resume(returning: nil) }
    var piece: [UInt8] = []
    swap(&piece, &bytes)
    reader.resume(returning: piece)
  }
}

/// Reads a body while it arrives; for the program, on any thread.
package struct HTTPBody: Sendable {
  let loop: EventLoop
  let connection: UInt64
  let exchange: UInt64

  /// The next bytes, as soon as there are some.
  ///
  /// - Returns: The bytes; nil behind the last ones.
  /// - Throws: An error if the rest does not come.
  package func next() async throws -> [UInt8]? {
    try Task.checkCancellation()
    return try await withCheckedThrowingContinuation { (reader: CheckedContinuation<[UInt8]?, any Error>) in
      let willRun = loop.command { core in
        guard let connection = core.connection(connection, in: exchange) else {
          return reader.resume(throwing: BrowserHasGone())
        }
        connection.readBody(reader)
      }
      if !willRun { reader.resume(throwing: BrowserHasGone()) }
    }
  }
}
