// SPDX-License-Identifier: Apache-2.0

/// A request's route: a program answers it off the loop, within bounds.
package struct HTTPRoute: Sendable {
  /// The most bytes of a body.
  package var maxBodyBytes: Int
  /// How long the body may take to arrive, and then the answer.
  package var timeLimit: Duration
  /// Whether it is asked when a request's head has arrived, and reads the body while that arrives.
  ///
  /// Then the time begins again with each 16 KiB, and a place counts for no more bytes than wait for the reader.
  package var readsWhileArriving: Bool
  /// Answers; the task is cancelled when time is up, or when the browser has gone.
  package var answer: @Sendable (HTTPRequest) async -> HTTPResponse

  /// The bytes of a body of this length that the server keeps at a time.
  func keptBytes(of length: Int) -> Int { readsWhileArriving ? min(length, ArrivingBody.maxBytes) : length }

  package init(
    maxBodyBytes: Int, timeLimit: Duration, readsWhileArriving: Bool = false,
    answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
  ) {
    self.maxBodyBytes = maxBodyBytes
    self.timeLimit = timeLimit
    self.readsWhileArriving = readsWhileArriving
    self.answer = answer
  }
}

/// What a program says of a request.
package enum HTTPRouteMatch: Sendable {
  /// None of its routes has the path.
  case none
  /// Its routes take other methods: the value of `Allow`.
  case otherMethod(allow: String)
  case route(HTTPRoute)
}

/// Bytes of a response that are made while they are sent.
package struct HTTPStream: Sendable {
  /// Sends a piece, and returns when there is room for the next; throws if the browser has gone.
  package typealias Send = @Sendable ([UInt8]) async throws -> Void

  /// How many bytes there will be; nil if nobody knows.
  package var length: Int?
  /// Makes the bytes.
  package var run: @Sendable (@escaping Send) async throws -> Void

  package init(length: Int?, run: @escaping @Sendable (@escaping Send) async throws -> Void) {
    self.length = length
    self.run = run
  }
}

/// Nobody reads the rest of a response.
struct BrowserHasGone: Error {}
