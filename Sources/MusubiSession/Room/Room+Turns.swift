// SPDX-License-Identifier: Apache-2.0

/// Turns on their way to other loops.
extension Room {
  /// Hands out turns as frames; those that many connections of another loop wait for are put together once.
  ///
  /// - Parameters:
  ///   - position: The turn before the first; the log reaches back to it.
  ///   - last: The last turn to be handed out, at least `position + 1`.
  ///   - encoding: Which frames.
  ///   - limit: No further turn is started once this many bytes were handed out; at least one is.
  ///   - sink: Who takes them.
  /// - Returns: The turn of the last frame.
  func takeTurns<Sink: FrameSink & ~Copyable>(
    after position: Int, through last: Int, as encoding: TurnEncoding, limit: Int, into sink: inout Sink
  ) -> Int {
    guard Sink.shares, members.count > 1 else {
      return log.frames(after: position, through: last, as: encoding, limit: limit) { sink.append(own: $0) }
    }
    if let frames = recentTurns.first(where: { $0.start == position && $0.encoding == encoding }),
      frames.end <= last, frames.bytes.count <= limit
    {
      sink.append(frames)
      return frames.end
    }
    var bytes: [UInt8] = []
    let end = log.frames(after: position, through: last, as: encoding, limit: limit) { bytes = Array($0) }
    let frames = SharedFrames(bytes: bytes, encoding: encoding, start: position, end: end)
    // Frames for others who stand elsewhere are kept as well, but none of earlier turns.
    recentTurns.removeAll { $0.end < sequence || ($0.start == position && $0.encoding == encoding) }
    if recentTurns.count < 4 { recentTurns.append(frames) }
    sink.append(frames)
    return end
  }
}
