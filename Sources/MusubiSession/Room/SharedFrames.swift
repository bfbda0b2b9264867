// SPDX-License-Identifier: Apache-2.0

/// Turns of a room that follow one another, as whole WebSocket frames: the same bytes for all that stand at their
/// beginning, on all loops.
package final class SharedFrames: Sendable {
  /// The frames.
  package let bytes: [UInt8]
  /// The turn before the first frame.
  let start: Int
  /// The turn of the last frame.
  let end: Int

  init(bytes: [UInt8], start: Int, end: Int) {
    self.bytes = bytes
    self.start = start
    self.end = end
  }
}

/// Takes the frames that wait for a connection, in order.
package protocol FrameSink {
  /// The bytes taken so far.
  var count: Int { get }
  /// Takes a frame that is meant for this connection alone.
  mutating func append(own frame: [UInt8])
  /// Takes frames that others get as well.
  mutating func append(_ frames: SharedFrames)
}

extension [UInt8]: FrameSink {
  package mutating func append(own frame: [UInt8]) { append(contentsOf: frame) }
  package mutating func append(_ frames: SharedFrames) { append(contentsOf: frames.bytes) }
}
