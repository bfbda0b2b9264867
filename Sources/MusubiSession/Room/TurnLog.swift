// SPDX-License-Identifier: Apache-2.0
import MusubiText
import MusubiWire

/// How a connection gets a room's turns.
struct TurnEncoding: Equatable {
  /// Both in one word: each room keeps it, and each turn compares it.
  private let word: Int

  init(followsEdits: Bool, screen: Int) { word = screen << 1 | (followsEdits ? 1 : 0) }

  /// Whether two-way texts change by edits, instead of `replace` operations.
  var followsEdits: Bool { word & 1 == 1 }
  /// The screen's number on the connection.
  var screen: Int { word >> 1 }
}

/// The newest turns of a room as WebSocket frames, shared by all its connections; bounded in number and bytes.
///
/// ```
/// following edits   {"sequence":14,"patch":[…],"edits":{"number":{"revision":16,"steps":[…]}}}
/// plain             {"sequence":14,"patch":[…,{"op":"replace","path":"/number.field","value":"12"}]}
/// ```
///
/// Each encoding that somebody follows is one stretch of bytes, written once per turn; a connection holds only its
/// position in it. When the log no longer reaches back to it, the connection gets a snapshot.
struct TurnLog {
  private var tracks: [TurnTrack] = []
  /// The sequence number of the last turn.
  private(set) var head: Int

  init(head: Int) { self.head = head }

  /// The bytes of heap that it takes.
  var heapBytes: Int { tracks.reduce(HeapSize.array(tracks)) { $0 + $1.heapBytes } }

  /// Writes a turn in each encoding.
  ///
  /// - Returns: The bytes of the turn in one of them; 0 if nobody follows.
  mutating func append(
    _ turn: TurnBuilder, _ texts: [SharedText], _ limit: TurnLogLimit, _ schema: SharedSchema
  ) -> Int {
    head += 1
    var bytes = 0
    for index in tracks.indices { bytes = tracks[index].append(turn, sequence: head, texts, limit, schema) }
    return bytes
  }

  /// Forgets the turns up to one, which every page has.
  mutating func forget(through sequence: Int) {
    for index in tracks.indices { tracks[index].forget(through: sequence) }
  }

  /// Keeps the turns from now on in an encoding, if it is not kept yet.
  mutating func follow(_ encoding: TurnEncoding) {
    guard track(encoding) == nil else { return }
    tracks.append(TurnTrack(encoding, start: head))
  }

  /// Whether all turns after a position are here.
  func reaches(back sequence: Int, as encoding: TurnEncoding) -> Bool {
    guard sequence <= head, let index = track(encoding) else { return false }
    return sequence >= tracks[index].start
  }

  /// Hands out the frames after a position; only for positions that `reaches` accepts.
  ///
  /// - Parameters:
  ///   - position: The turn before the first.
  ///   - last: The last turn to be handed out, at least `position + 1`.
  ///   - encoding: Which frames.
  ///   - limit: No further turn is started once this many bytes were handed out; at least one is.
  ///   - body: Gets the frames.
  /// - Returns: The turn of the last frame.
  func frames(
    after position: Int, through last: Int, as encoding: TurnEncoding, limit: Int,
    _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) -> Int {
    guard let index = track(encoding) else { return last }
    return tracks[index].frames(after: position, through: last, limit: limit, body)
  }

  private func track(_ encoding: TurnEncoding) -> Int? { tracks.firstIndex { $0.encoding == encoding } }
}

/// The newest turns in one encoding.
private struct TurnTrack {
  let encoding: TurnEncoding
  /// The turn before the first that is kept.
  private(set) var start: Int
  private var bytes: [UInt8] = []
  /// Where the frame of each turn ends in `bytes`; those before `dropped` are no longer kept.
  private var ends: [Int] = []
  private var dropped = 0

  init(_ encoding: TurnEncoding, start: Int) {
    self.encoding = encoding
    self.start = start
  }

  var heapBytes: Int { HeapSize.array(bytes) + HeapSize.array(ends) }

  mutating func append(
    _ turn: TurnBuilder, sequence: Int, _ texts: [SharedText], _ limit: TurnLogLimit, _ schema: SharedSchema
  ) -> Int {
    let before = bytes.count
    turn.write(to: &bytes, sequence: sequence, as: encoding, texts, schema)
    let count = bytes.count - before
    ends.append(bytes.count)
    while ends.count - dropped > limit.turns || (ends.count - dropped > 1 && keptBytes > limit.bytes) {
      dropped += 1
      start += 1
    }
    // Moves the rest to the front only when at least half of the bytes are behind it.
    if dropped > 0, begin * 2 > bytes.count { forgetDropped() }
    return count
  }

  mutating func forget(through sequence: Int) {
    let count = min(sequence - start, ends.count - dropped)
    guard count > 0 else { return }
    dropped += count
    start += count
  }

  func frames(
    after position: Int, through last: Int, limit: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) -> Int {
    let first = dropped + position - start
    let from = first > 0 ? ends[first - 1] : 0
    var index = dropped + last - start - 1
    if ends[index] - from > limit {
      // The frame that crosses the limit is the last one.
      index = first
      while ends[index] - from < limit { index += 1 }
    }
    bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[from..<ends[index]])) }
    return start + index + 1 - dropped
  }

  private var begin: Int { dropped > 0 ? ends[dropped - 1] : 0 }

  private var keptBytes: Int { bytes.count - begin }

  private mutating func forgetDropped() {
    let begin = begin
    // A long turn that was dropped takes its memory along.
    if begin > 4_096 { bytes = Array(bytes[begin...]) } else { bytes.removeFirst(begin) }
    ends.removeFirst(dropped)
    for index in ends.indices { ends[index] -= begin }
    dropped = 0
  }
}

/// How much of a room's past is kept for connections that fell behind and pages that return.
package struct TurnLogLimit: Equatable, Sendable {
  /// The most turns kept.
  package var turns: Int
  /// The most bytes of frames kept, in each encoding; the newest turn is kept whatever it weighs.
  package var bytes: Int

  /// A limit.
  package init(turns: Int, bytes: Int) {
    self.turns = turns
    self.bytes = bytes
  }
}
