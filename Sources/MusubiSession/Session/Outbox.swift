// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// The frames that wait for one connection alone, each at its place between the turns of one of its screens.
struct Outbox {
  /// One frame and its place.
  struct Entry {
    /// The screen on whose turns it depends.
    fileprivate(set) var screen: Int
    /// It goes out after this turn of the screen, and before the next one.
    fileprivate(set) var after: Int
    fileprivate var content: Content
  }

  fileprivate enum Content {
    case frame([UInt8])
    case ack(Int)
  }

  private var waiting: [Entry] = []
  private var start = 0
  /// The bytes that wait; acknowledgements count as 16.
  private(set) var bytes = 0

  /// What goes out next.
  var first: Entry? { start < waiting.count ? waiting[start] : nil }

  mutating func append(_ frame: [UInt8], screen: Int, after position: Int) {
    waiting.append(Entry(screen: screen, after: position, content: .frame(frame)))
    bytes += frame.count
  }

  /// Adds an acknowledgement; one that waits at the end is replaced, since the newer one says more.
  mutating func appendAck(_ number: Int, screen: Int, after position: Int) {
    let entry = Entry(screen: screen, after: position, content: .ack(number))
    if start < waiting.count, case .ack = waiting[waiting.count - 1].content {
      // It may come later than it could, never earlier: nothing before it in the stream depends on it.
      waiting[waiting.count - 1] = entry
      return
    }
    waiting.append(entry)
    bytes += 16
  }

  /// Moves the first frame to the bytes that go out.
  mutating func takeFirst(into sink: inout some FrameSink) {
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
    guard start == waiting.count else { return }
    waiting.removeAll(keepingCapacity: waiting.capacity <= 32)
    start = 0
  }
}
