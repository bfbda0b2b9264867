// SPDX-License-Identifier: Apache-2.0
import MusubiSession

// MARK: - Responses that are made while they are sent

extension Connection {
  /// Has a stream make its bytes.
  func run(_ stream: HTTPStream, of exchange: RouteExchange) {
    let (loop, id, number, place) = (core.loop, id, exchange.number, exchange.place)
    let sender = PieceSender(loop: loop, connection: id, exchange: number)
    core.works[number] = exchange
    exchange.task = Task.detached {
      let problem = await sender.run(stream)
      loop.command { core in
        core.works[number] = nil
        core.connection(id, in: number)?.streamEnded(problem)
      }
      withExtendedLifetime(place) {}
    }
  }

  fileprivate func add(_ bytes: [UInt8], _ written: CheckedContinuation<Void, any Error>) {
    guard let exchange, exchange.isStreaming, case .sending = exchange.phase else {
      return written.resume(throwing: BrowserHasGone())
    }
    exchange.pieces.append((bytes, written))
    continueExchange()
    closeIfTooMuchWaits()
  }

  /// A stream has made all of its bytes, or has failed.
  fileprivate func streamEnded(_ problem: String?) {
    guard let exchange, exchange.isStreaming else { return }
    if let left = exchange.streamBytesLeft, left != 0, problem == nil {
      return cutStream("it has \(abs(left)) bytes \(left > 0 ? "less" : "more") than its length")
    }
    if let problem { return cutStream(problem) }
    exchange.isStreaming = false
    if exchange.isChunked { exchange.rest = Array("0\r\n\r\n".utf8)[...] }
    continueExchange()
  }

  /// The browser is to see that something is missing.
  private func cutStream(_ problem: String) {
    core.refused(
      "stream-failed", .error, event: "stream failed", of: peerName,
      [("path", exchange?.request.loggedPath ?? ""), ("message", problem)])
    kill()
  }
}

extension RouteExchange {
  /// A piece as it goes out.
  func framed(_ bytes: [UInt8]) -> [UInt8] {
    if let left = streamBytesLeft { streamBytesLeft = left - bytes.count }
    guard isChunked else { return bytes }
    return Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
  }
}

/// Hands the pieces of a stream to the loop of its connection.
private struct PieceSender: Sendable {
  let loop: EventLoop
  let connection: UInt64
  let exchange: UInt64

  /// Has a stream make all its bytes.
  ///
  /// - Returns: Why it failed; nil if it did not.
  func run(_ stream: HTTPStream) async -> String? {
    do {
      try await stream.run { bytes in try await send(bytes) }
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Hands a piece over, and returns when it was written.
  private func send(_ bytes: [UInt8]) async throws {
    try Task.checkCancellation()
    guard !bytes.isEmpty else { return }
    try await withCheckedThrowingContinuation { (written: CheckedContinuation<Void, any Error>) in
      let willRun = loop.command { core in
        guard let connection = core.connection(connection, in: exchange) else {
          return written.resume(throwing: BrowserHasGone())
        }
        connection.add(bytes, written)
      }
      if !willRun { written.resume(throwing: BrowserHasGone()) }
    }
  }
}
