// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// The frames that wait for one connection alone, each at its place between the turns of one of its screens.
///
/// While something waits, its room is lent by the loop's pool: a connection that is idle has none, and one that is
/// busy allocates nothing.
struct Outbox {
  /// The place of a frame.
  struct Place: Equatable {
    /// The screen on whose turns it depends.
    var screen: Int
    /// It goes out after this turn of the screen, and before the next one.
    var after: Int
    /// The gate of `Saving` at which it waits; 0 if it need not.
    var gate: Int
  }

  /// One frame and its place.
  fileprivate struct Entry {
    let place: Place
    /// Where it ends in the bytes of the room.
    let end: Int
  }

  /// Acknowledgements that wait behind everything else; they are written when they go out.
  fileprivate struct AckRun {
    var place: Place
    /// The first input's number.
    var number: Int
    /// The revision that it became; nil if the run is one acknowledgement that tells none.
    let revision: Int?
    /// By how much each further edit raised the revision.
    var stride = 1
    var count = 1

    static let longest = 256
    /// About how many bytes one takes.
    static let ackBytes = 40

    /// Adds the acknowledgement of an edit, if it goes on as the run did.
    mutating func take(_ next: Int, revision newRevision: Int, at place: Place) -> Bool {
      guard let revision, place == self.place, next == number + count, count < Self.longest else {
        return false
      }
      if count == 1 { stride = newRevision - revision }
      guard newRevision == revision + count * stride else { return false }
      count += 1
      return true
    }

    func write(to writer: inout ReservedBytes) {
      for index in 0..<count {
        writer.acknowledge(
          number + index, revision: revision.map { $0 + index * stride },
          screen: revision == nil ? 0 : place.screen)
      }
    }
  }

  /// Where frames wait.
  final class Room {
    @exclusivity(unchecked) fileprivate var entries: [Entry] = []
    @exclusivity(unchecked) fileprivate var bytes: [UInt8] = []
    /// How many entries and bytes are taken.
    @exclusivity(unchecked) fileprivate var taken = (entries: 0, bytes: 0)
    /// What waits behind the entries.
    @exclusivity(unchecked) fileprivate var acks: AckRun?
  }

  /// Rooms that nobody uses; one for each loop.
  final class Pool {
    @exclusivity(unchecked) private var rooms: [Room] = []

    fileprivate func take() -> Room { rooms.popLast() ?? Room() }

    fileprivate func give(_ room: consuming Room) {
      guard rooms.count < 1_024, room.bytes.capacity <= 8_192 else { return }
      rooms.append(room)
    }
  }

  private var room: Room?

  /// The bytes that wait.
  var bytes: Int {
    guard let room else { return 0 }
    return room.bytes.count - room.taken.bytes + (room.acks?.count ?? 0) * AckRun.ackBytes
  }

  /// The place of what goes out next.
  var first: Place? {
    guard let room else { return nil }
    return room.entries.isEmpty ? room.acks?.place : room.entries[room.taken.entries].place
  }

  /// Adds a frame.
  mutating func append(at place: Place, from pool: Pool, _ write: (inout FrameWriter) -> Void) {
    let room = lentRoom(of: pool)
    writeAcks(in: room)
    enter(place, in: room, write)
  }

  /// Adds an acknowledgement; one that waits at the end is replaced, since the newer one says more.
  mutating func appendAck(_ number: Int, at place: Place, from pool: Pool) {
    // It may come later than it could, never earlier: nothing before it in the stream depends on it.
    let room = lentRoom(of: pool)
    if let acks = room.acks, acks.revision != nil || acks.place.gate != place.gate { writeAcks(in: room) }
    room.acks = AckRun(place: place, number: number, revision: nil)
  }

  /// Adds the acknowledgement of an edit.
  mutating func appendAck(_ number: Int, revision: Int, at place: Place, from pool: Pool) {
    let room = lentRoom(of: pool)
    if room.acks?.take(number, revision: revision, at: place) == true { return }
    writeAcks(in: room)
    room.acks = AckRun(place: place, number: number, revision: revision)
  }

  private mutating func lentRoom(of pool: Pool) -> Room {
    if let room { return room }
    let room = pool.take()
    self.room = room
    return room
  }

  /// Something comes behind the acknowledgements: they become frames.
  private func writeAcks(in room: Room) {
    guard let acks = room.acks else { return }
    room.acks = nil
    enter(acks.place, in: room) { writer in
      writer.write(atMost: acks.count * ReservedBytes.mostOfAck) { acks.write(to: &$0) }
    }
  }

  private func enter(_ place: Place, in room: Room, _ write: (inout FrameWriter) -> Void) {
    var bytes: [UInt8] = []
    swap(&bytes, &room.bytes)
    var writer = FrameWriter(continuing: bytes)
    bytes = []
    write(&writer)
    room.bytes = writer.takeBytes()
    room.entries.append(Entry(place: place, end: room.bytes.count))
  }

  /// Moves the first frame, or all acknowledgements, to the bytes that go out.
  mutating func takeFirst(into sink: inout some FrameSink, returningRoomTo pool: Pool) {
    guard let room else { return }
    if room.entries.isEmpty {
      takeAcks(of: room, into: &sink)
      self.room = nil
      return pool.give(room)
    }
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
    guard room.acks == nil else { return }
    self.room = nil
    pool.give(room)
  }

  private func takeAcks(of room: Room, into sink: inout some FrameSink) {
    guard let acks = room.acks else { return }
    room.acks = nil
    sink.append(atMost: acks.count * ReservedBytes.mostOfAck) { acks.write(to: &$0) }
  }
}
