// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiWire

/// Sends every message back as it came, for conformance suites; text that is not UTF-8 ends with 1007.
final class EchoService: ConnectionService {
  let nextDeadline: Duration? = nil

  func admit(_ request: ConnectionRequest, then decide: @escaping (Admission) -> Void) {
    decide(.accepted(request.withoutHeaders))
  }

  func connect(
    _ request: ConnectionRequest, _ connection: any ConnectionHandle
  ) -> any ConnectionHandler {
    EchoHandler(connection)
  }

  func advance(to now: Duration) {}
}

/// The echo of one connection.
///
/// While a reader is slow, it is not read from either: what waits is bounded by one message above the mark.
private final class EchoHandler: ConnectionHandler {
  private unowned let connection: any ConnectionHandle
  /// Whole frames; those before `first` are taken.
  private var frames: [[UInt8]] = []
  private var first = 0
  private var waitingBytes = 0
  private var isReading = true

  /// Above this, the connection is not read from.
  private static let highWaterBytes = 1 << 20

  init(_ connection: any ConnectionHandle) { self.connection = connection }

  func receive(_ message: UnsafeRawBufferPointer, isText: Bool) {
    guard !isText || UTF8Check.isValid(message) else {
      connection.close(ConnectionEnd(.invalidText, "The text is not UTF-8."))
      return
    }
    let frame = WebSocketFrame.bytes(isText ? .text : .binary, message)
    frames.append(frame)
    waitingBytes += frame.count
    if isReading, waitingBytes > Self.highWaterBytes {
      isReading = false
      connection.setReading(false)
    }
    connection.wake()
  }

  func write(into bytes: inout ByteBuffer, limit: Int) -> Bool {
    let start = bytes.count
    while first < frames.count, bytes.count == start || bytes.count - start < limit {
      bytes.append(contentsOf: frames[first])
      waitingBytes -= frames[first].count
      frames[first] = []
      first += 1
    }
    guard first == frames.count else { return true }
    frames.removeAll(keepingCapacity: frames.count < 64)
    first = 0
    if !isReading {
      isReading = true
      connection.setReading(true)
    }
    return false
  }

  func closed(saidFarewell: Bool) {}
}
