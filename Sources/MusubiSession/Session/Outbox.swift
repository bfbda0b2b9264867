// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// The frames that wait for one connection alone, each at its place between the turns of one of its screens.
///
/// The acknowledgements at their end are kept as what they say, and written when they go out: that is all there is while
/// a page types. Frames wait in a room that is lent by the loop's pool, so that an idle connection has none, and a busy
/// one allocates nothing.
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

  /// Acknowledgements that wait behind everything else; in as few bytes as possible, because each connection has them.
  fileprivate struct AckRun {
    private var after = 0
    private var gate = 0
    /// The first input's number.
    private var number = 0
    /// The revision that it became; -1 if the run is one acknowledgement that tells none.
    private var revision = -1
    private var screen: Int32 = 0
    /// By how much each further edit raised the revision.
    private var stride: Int16 = 1
    private(set) var count: UInt16 = 0

    private static let longest = 256
    /// About how many bytes one takes.
    static let ackBytes = 40

    /// Nothing waits.
    init() {}

    init(_ number: Int, revision: Int? = nil, at place: Place) {
      after = place.after
      gate = place.gate
      screen = Int32(place.screen)
      self.number = number
      self.revision = revision ?? -1
      count = 1
    }

    var isEmpty: Bool { count == 0 }

    var place: Place { Place(screen: Int(screen), after: after, gate: gate) }

    /// Whether the acknowledgement of a later input says all that these do.
    func isSaid(byLaterAt place: Place) -> Bool { revision < 0 && gate == place.gate }

    /// Adds the acknowledgement of an edit, if it goes on as the run did.
    mutating func take(_ next: Int, revision newRevision: Int, at place: Place) -> Bool {
      guard count > 0, revision >= 0, place == self.place, next == number + Int(count), count < Self.longest
      else { return false }
      if count == 1 {
        guard let first = Int16(exactly: newRevision - revision) else { return false }
        stride = first
      }
      guard newRevision == revision + Int(count) * Int(stride) else { return false }
      count += 1
      return true
    }

    /// The most bytes that `write` writes.
    var most: Int { Int(count) * ReservedBytes.mostOfAck }

    func write(to writer: inout ReservedBytes) {
      for index in 0..<Int(count) {
        writer.acknowledge(
          number + index, revision: revision < 0 ? nil : revision + index * Int(stride),
          screen: revision < 0 ? 0 : Int(screen))
      }
    }
  }

  /// Where frames wait.
  final class Room {
    @exclusivity(unchecked) fileprivate var entries: [Entry] = []
    @exclusivity(unchecked) fileprivate var bytes: [UInt8] = []
    /// How many entries and bytes are taken.
    @exclusivity(unchecked) fileprivate var taken = (entries: 0, bytes: 0)
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

  /// Where the frames wait; nil if there are none.
  private var room: Room?
  /// What waits behind the frames.
  private var acks = AckRun()

  /// The bytes that wait.
  var bytes: Int {
    let frames = room.map { $0.bytes.count - $0.taken.bytes } ?? 0
    return frames + Int(acks.count) * AckRun.ackBytes
  }

  /// The place of what goes out next.
  var first: Place? {
    if let room { return room.entries[room.taken.entries].place }
    return acks.isEmpty ? nil : acks.place
  }

  /// Adds a frame.
  mutating func append(
    at place: Place, from pool: @autoclosure () -> Pool, _ write: (inout FrameWriter) -> Void
  ) {
    writeAcks(from: pool())
    enter(place, from: pool(), write)
  }

  /// Adds an acknowledgement; one that waits at the end is replaced, since the newer one says more.
  mutating func appendAck(_ number: Int, at place: Place, from pool: @autoclosure () -> Pool) {
    // It may come later than it could, never earlier: nothing before it in the stream depends on it.
    if !acks.isSaid(byLaterAt: place) { writeAcks(from: pool()) }
    acks = AckRun(number, at: place)
  }

  /// Adds the acknowledgement of an edit.
  mutating func appendAck(
    _ number: Int, revision: Int, at place: Place, from pool: @autoclosure () -> Pool
  ) {
    if acks.take(number, revision: revision, at: place) { return }
    writeAcks(from: pool())
    acks = AckRun(number, revision: revision, at: place)
  }

  /// Something comes behind the acknowledgements: they become frames.
  private mutating func writeAcks(from pool: @autoclosure () -> Pool) {
    guard !acks.isEmpty else { return }
    let acks = acks
    self.acks = AckRun()
    enter(acks.place, from: pool()) { writer in
      writer.write(atMost: acks.most) { acks.write(to: &$0) }
    }
  }

  private mutating func enter(
    _ place: Place, from pool: @autoclosure () -> Pool, _ write: (inout FrameWriter) -> Void
  ) {
    let room = room ?? pool().take()
    self.room = room
    var bytes: [UInt8] = []
    swap(&bytes, &room.bytes)
    var writer = FrameWriter(continuing: bytes)
    bytes = []
    write(&writer)
    room.bytes = writer.takeBytes()
    room.entries.append(Entry(place: place, end: room.bytes.count))
  }

  /// Moves the first frame, or all acknowledgements, to the bytes that go out.
  mutating func takeFirst(into sink: inout some FrameSink, returningRoomTo pool: @autoclosure () -> Pool) {
    guard let room else {
      guard !acks.isEmpty else { return }
      let acks = acks
      self.acks = AckRun()
      return sink.append(atMost: acks.most) { acks.write(to: &$0) }
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
    self.room = nil
    pool().give(room)
  }
}
