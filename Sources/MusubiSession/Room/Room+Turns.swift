// SPDX-License-Identifier: Apache-2.0

extension Room {
  /// Hands out turns as frames; those that many wait for are put together once.
  ///
  /// - Parameters:
  ///   - position: The turn before the first; the log reaches back to it, and there is one after it.
  ///   - last: The last turn to be handed out, at least `position + 1`.
  ///   - followingEdits: Which encoding.
  ///   - screen: The screen's number on the connection.
  ///   - end: No further turn is started once the sink holds this many bytes.
  ///   - sink: Who takes them.
  /// - Returns: The turn of the last frame.
  func takeTurns(
    after position: Int, through last: Int, followingEdits: Bool, screen: Int, until end: Int,
    into sink: inout some FrameSink
  ) -> Int {
    if members.count > 1, screen == 0, last == sequence, end - sink.count >= Self.sharedBytes {
      let frames = turns(after: position, followingEdits: followingEdits)
      sink.append(frames)
      return frames.end
    }
    var position = position
    while position < last, sink.count < end, let turn = log.turn(after: position) {
      sink.append(own: turn.frame(followingEdits: followingEdits, screen: screen))
      position = turn.sequence
    }
    return position
  }

  /// The most bytes that are put together, one longer frame excepted.
  private static var sharedBytes: Int { 16_384 }

  /// The turns after a position, up to the newest or to `sharedBytes`.
  private func turns(after position: Int, followingEdits: Bool) -> SharedFrames {
    let recent = followingEdits ? recentTurns.withEdits : recentTurns.plain
    if let recent, recent.start == position, recent.end == sequence || recent.bytes.count >= Self.sharedBytes
    {
      return recent
    }
    var bytes: [UInt8] = []
    var end = position
    while bytes.count < Self.sharedBytes, let turn = log.turn(after: end) {
      let frame = turn.frame(followingEdits: followingEdits, screen: 0)
      // The usual case, one turn, shares the turn's own bytes.
      if bytes.isEmpty { bytes = frame } else { bytes += frame }
      end = turn.sequence
    }
    let frames = SharedFrames(bytes: bytes, start: position, end: end)
    if followingEdits { recentTurns.withEdits = frames } else { recentTurns.plain = frames }
    return frames
  }
}
