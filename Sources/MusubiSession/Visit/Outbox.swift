// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// The frames that wait for one connection alone, each at its place between the turns of one of its screens.
///
/// The acknowledgements at their end are kept as what they say, and written when they go out: that is all there is while
/// a page types, and it takes no memory of its own.
struct Outbox {
  /// The place of a frame.
  struct Place: Equatable {
    /// The screen on whose turns it depends.
    var screen: Int
    /// It goes out after this turn of the screen, and before the next one.
    var after: Int
    /// The gate of `Saving` at which it waits; 0 if it need not.
    var gate: Int
    /// Whether it acknowledges edits: the turns behind it have them, and the page is to know that they are its own.
    var isEdit = false
  }

  /// One frame and its place.
  private struct Entry {
    let place: Place
    /// Where it ends in the bytes of all frames.
    let end: Int
  }

  /// Acknowledgements that wait behind everything else; in as few bytes as possible, because each visit has them.
  private struct AckRun {
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

    var place: Place { Place(screen: Int(screen), after: after, gate: gate, isEdit: revision >= 0) }

    /// Whether the acknowledgement of a later input says all that these do.
    func isSaid(byLaterAt place: Place) -> Bool { revision < 0 && gate == place.gate }

    private func isAt(_ place: Place) -> Bool {
      after == place.after && gate == place.gate && screen == Int32(place.screen)
    }

    /// Adds the acknowledgement of an edit, if it goes on as the run did.
    mutating func take(_ next: Int, revision newRevision: Int, at place: Place) -> Bool {
      guard count > 0, revision >= 0, isAt(place), next == number + Int(count), count < Self.longest
      else { return false }
      if count == 1 {
        guard let first = Int16(exactly: newRevision - revision) else { return false }
        stride = first
      }
      guard newRevision == revision + Int(count) * Int(stride) else { return false }
      count += 1
      return true
    }

    func write(to buffer: inout ByteBuffer) {
      for index in 0..<Int(count) {
        buffer.acknowledge(
          number + index, revision: revision < 0 ? nil : revision + index * Int(stride),
          screen: revision < 0 ? 0 : Int(screen))
      }
    }
  }

  /// The frames' places; those before `first` are taken.
  private var entries: [Entry] = []
  private var first = 0
  /// The frames.
  private var frames: [UInt8] = []
  /// What waits behind the frames.
  private var acks = AckRun()

  /// Where the frames begin that are not taken.
  private var begin: Int { first > 0 ? entries[first - 1].end : 0 }

  /// The bytes that wait.
  var bytes: Int { frames.count - begin + Int(acks.count) * AckRun.ackBytes }

  /// The place of what goes out next.
  var next: Place? {
    if first < entries.count { return entries[first].place }
    return acks.isEmpty ? nil : acks.place
  }

  /// The turn of a screen behind which the first of the page's own edits is that it does not know of; nil if it knows all.
  func lastBeforeEdit(of screen: Int) -> Int? {
    func isMeant(_ place: Place) -> Bool { place.isEdit && place.screen == screen }
    let frame = entries[first...].first { isMeant($0.place) }?.place
    return frame?.after ?? (!acks.isEmpty && isMeant(acks.place) ? acks.place.after : nil)
  }

  /// Adds a frame.
  mutating func append(at place: Place, _ write: (inout ByteBuffer) -> Void) {
    writeAcks()
    enter(place, write)
  }

  /// Adds an acknowledgement; one that waits at the end is replaced, since the newer one says more.
  mutating func appendAck(_ number: Int, at place: Place) {
    // It may come later than it could, never earlier: nothing before it in the stream depends on it.
    if !acks.isSaid(byLaterAt: place) { writeAcks() }
    acks = AckRun(number, at: place)
  }

  /// Adds the acknowledgement of an edit.
  mutating func appendAck(_ number: Int, revision: Int, at place: Place) {
    if acks.take(number, revision: revision, at: place) { return }
    writeAcks()
    acks = AckRun(number, revision: revision, at: place)
  }

  /// Something comes behind the acknowledgements: they become frames.
  private mutating func writeAcks() {
    guard !acks.isEmpty else { return }
    let acks = acks
    self.acks = AckRun()
    enter(acks.place) { acks.write(to: &$0) }
  }

  private mutating func enter(_ place: Place, _ write: (inout ByteBuffer) -> Void) {
    var buffer = ByteBuffer()
    write(&buffer)
    frames.append(contentsOf: buffer.bytes)
    entries.append(Entry(place: place, end: frames.count))
  }

  /// Moves the first frame, or all acknowledgements, to the bytes that go out.
  mutating func takeNext(into sink: inout some FrameSink & ~Copyable) {
    guard first < entries.count else {
      guard !acks.isEmpty else { return }
      let acks = acks
      self.acks = AckRun()
      return sink.write { acks.write(to: &$0) }
    }
    let range = begin..<entries[first].end
    frames.withUnsafeBufferPointer { sink.append(own: UnsafeBufferPointer(rebasing: $0[range])) }
    first += 1
    guard first == entries.count else { return }
    (entries, frames, first) = ([], [], 0)
  }
}
