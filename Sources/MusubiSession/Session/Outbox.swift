// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// The frames that wait for one connection alone, each at its place between the turns of one of its screens.
///
/// While something waits, its room is lent by the loop's pool: a connection that is idle has none, and one that is
/// busy allocates nothing.
struct Outbox {
  /// One frame and its place.
  struct Entry {
    /// The screen on whose turns it depends.
    fileprivate(set) var screen: Int
    /// It goes out after this turn of the screen, and before the next one.
    fileprivate(set) var after: Int
    /// The gate of `Saving` at which it waits; 0 if it need not.
    fileprivate(set) var gate: Int
    /// Where it ends in the bytes of the room.
    fileprivate var end: Int
    /// Whether it says no more than that inputs were taken.
    fileprivate var isAck: Bool
  }

  /// Where frames wait.
  final class Room {
    fileprivate var entries: [Entry] = []
    fileprivate var bytes: [UInt8] = []
    /// How many entries and bytes are taken.
    fileprivate var taken = (entries: 0, bytes: 0)
  }

  /// Rooms that nobody uses; one for each loop.
  final class Pool {
    private var rooms: [Room] = []

    fileprivate func take() -> Room { rooms.popLast() ?? Room() }

    fileprivate func give(_ room: Room) {
      guard rooms.count < 1_024, room.bytes.capacity <= 8_192 else { return }
      rooms.append(room)
    }
  }

  private var room: Room?

  /// The bytes that wait.
  var bytes: Int { room.map { $0.bytes.count - $0.taken.bytes } ?? 0 }

  /// What goes out next.
  var first: Entry? { room.map { $0.entries[$0.taken.entries] } }

  /// Adds a frame.
  mutating func append(
    screen: Int, after position: Int, gate: Int, from pool: Pool, _ write: (inout FrameWriter) -> Void
  ) {
    append(screen: screen, after: position, gate: gate, isAck: false, from: pool, write)
  }

  /// Adds an acknowledgement; one that waits at the end is replaced, since the newer one says more.
  mutating func appendAck(_ number: Int, screen: Int, after position: Int, gate: Int, from pool: Pool) {
    if let room, let last = room.entries.last, last.isAck, last.gate == gate {
      // It may come later than it could, never earlier: nothing before it in the stream depends on it.
      room.entries.removeLast()
      let begin = room.entries.count > room.taken.entries ? room.entries.last?.end : room.taken.bytes
      room.bytes.removeLast(room.bytes.count - (begin ?? 0))
    }
    append(screen: screen, after: position, gate: gate, isAck: true, from: pool) { $0.acknowledge(number) }
  }

  private mutating func append(
    screen: Int, after position: Int, gate: Int, isAck: Bool, from pool: Pool,
    _ write: (inout FrameWriter) -> Void
  ) {
    let room = self.room ?? pool.take()
    self.room = room
    var bytes: [UInt8] = []
    swap(&bytes, &room.bytes)
    var writer = FrameWriter(continuing: bytes)
    bytes = []
    write(&writer)
    room.bytes = writer.takeBytes()
    room.entries.append(
      Entry(screen: screen, after: position, gate: gate, end: room.bytes.count, isAck: isAck))
  }

  /// Moves the first frame to the bytes that go out.
  mutating func takeFirst(into sink: inout some FrameSink, returningRoomTo pool: Pool) {
    guard let room else { return }
    let end = room.entries[room.taken.entries].end
    room.bytes.withUnsafeBufferPointer {
      sink.append(own: UnsafeBufferPointer(rebasing: $0[room.taken.bytes..<end]))
    }
    room.taken.entries += 1
    room.taken.bytes = end
    guard room.taken.entries == room.entries.count else { return }
    room.entries.removeAll(keepingCapacity: true)
    room.bytes.removeAll(keepingCapacity: true)
    room.taken = (0, 0)
    self.room = nil
    pool.give(room)
  }
}
