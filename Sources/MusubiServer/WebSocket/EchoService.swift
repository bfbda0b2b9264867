// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiWire

/// Sends every message back as it came, for conformance suites; text that is not UTF-8 ends with 1007.
///
/// While a reader is slow, it is not read from either: what waits is bounded by one message above the mark.
final class EchoService: ConnectionService {
  private unowned let transport: any Transport
  private var outboxes: [ConnectionID: Outbox] = [:]

  fileprivate struct Outbox {
    /// Whole frames; those before `first` are taken.
    var frames: [[UInt8]] = []
    var first = 0
    var waitingBytes = 0
    var isReading = true
  }

  /// Above this, a connection is not read from.
  private static let highWaterBytes = 1 << 20

  init(transport: any Transport) { self.transport = transport }

  let nextDeadline: Duration? = nil

  func admission(of request: inout ConnectionRequest) -> Admission { .accepted }

  func connect(_ connection: ConnectionID, _ request: ConnectionRequest) { outboxes[connection] = Outbox() }

  func receive(_ message: UnsafeRawBufferPointer, isText: Bool, from connection: ConnectionID) {
    guard !isText || UTF8Check.isValid(message) else {
      transport.close(connection, ConnectionEnd(.invalidText, "The text is not UTF-8."))
      return
    }
    var frame: [UInt8] = []
    frame.reserveCapacity(message.count + 10)
    WebSocketFrame.appendUnmasked(isText ? .text : .binary, message, to: &frame)
    let mustPause = outboxes[connection, default: Outbox()].add(frame, highWaterBytes: Self.highWaterBytes)
    if mustPause { transport.setReading(connection, false) }
    transport.wake(connection)
  }

  func disconnect(_ connection: ConnectionID) { outboxes[connection] = nil }

  func takeBytes(for connection: ConnectionID, limit: Int, into bytes: inout [UInt8]) -> Bool {
    guard var outbox = outboxes.removeValue(forKey: connection) else { return false }
    defer { outboxes[connection] = outbox }
    let start = bytes.count
    while outbox.first < outbox.frames.count, bytes.count == start || bytes.count - start < limit {
      bytes += outbox.frames[outbox.first]
      outbox.waitingBytes -= outbox.frames[outbox.first].count
      outbox.frames[outbox.first] = []
      outbox.first += 1
    }
    guard outbox.first == outbox.frames.count else { return true }
    outbox.frames.removeAll(keepingCapacity: outbox.frames.count < 64)
    outbox.first = 0
    if !outbox.isReading {
      outbox.isReading = true
      transport.setReading(connection, true)
    }
    return false
  }

  func advance(to now: Duration) {}

  func drain() {}
}

extension EchoService.Outbox {
  /// Adds a frame, and tells whether reading is to pause from now on.
  fileprivate mutating func add(_ frame: [UInt8], highWaterBytes: Int) -> Bool {
    frames.append(frame)
    waitingBytes += frame.count
    guard isReading, waitingBytes > highWaterBytes else { return false }
    isReading = false
    return true
  }
}
