// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// The frames that wait for one connection alone, each at its place between the room's turns.
struct Outbox {
  private enum Content {
    case frame([UInt8])
    case ack(Int)
  }

  private var waiting: [(after: Int, content: Content)] = []
  private var start = 0
  /// The bytes that wait; acknowledgements count as 16.
  private(set) var bytes = 0

  /// The turn after which the first waiting frame goes out; nil if none waits.
  var nextPosition: Int? { start < waiting.count ? waiting[start].after : nil }

  mutating func append(_ frame: [UInt8], after position: Int) {
    waiting.append((position, .frame(frame)))
    bytes += frame.count
  }

  mutating func appendAck(_ number: Int, after position: Int) {
    if start < waiting.count, case .ack = waiting[waiting.count - 1].content {
      // It may come later than it could, never earlier: nothing before it in the stream depends on it.
      waiting[waiting.count - 1] = (position, .ack(number))
      return
    }
    waiting.append((position, .ack(number)))
    bytes += 16
  }

  /// Appends the frames that come before the turn after `position`.
  ///
  /// - Returns: Whether the limit was reached first.
  mutating func take(through position: Int, until end: Int, into sink: inout some FrameSink) -> Bool {
    while start < waiting.count, waiting[start].after <= position {
      guard sink.count < end else { return true }
      switch waiting[start].content {
      case .frame(let frame):
        sink.append(own: frame)
        bytes -= frame.count
      case .ack(let number):
        var writer = FrameWriter(capacity: 32)
        writer.acknowledge(number)
        sink.append(own: writer.bytes)
        bytes -= 16
      }
      start += 1
    }
    if start == waiting.count {
      waiting.removeAll(keepingCapacity: waiting.capacity <= 32)
      start = 0
    }
    return false
  }
}
