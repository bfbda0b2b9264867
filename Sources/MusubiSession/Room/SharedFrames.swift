// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// Turns of a room that follow one another, as whole WebSocket frames: the same bytes for all of another loop's
/// connections that stand at their beginning.
package final class SharedFrames: Sendable {
  /// The frames.
  package let bytes: [UInt8]
  let encoding: TurnEncoding
  /// The turn before the first frame.
  let start: Int
  /// The turn of the last frame.
  let end: Int

  init(bytes: [UInt8], encoding: TurnEncoding, start: Int, end: Int) {
    self.bytes = bytes
    self.encoding = encoding
    self.start = start
    self.end = end
  }
}

/// Takes the frames that wait for a connection, in order.
protocol FrameSink: ~Copyable {
  /// Whether it keeps shared frames as they are, instead of copying their bytes.
  static var shares: Bool { get }
  /// The bytes taken so far.
  var count: Int { get }
  /// Takes frames that are meant for this connection alone.
  mutating func append(own frames: UnsafeBufferPointer<UInt8>)
  /// Takes frames for this connection alone that the body writes.
  mutating func write(_ body: (inout ByteBuffer) -> Void)
  /// Takes frames that others get as well.
  mutating func append(_ frames: SharedFrames)
}

extension FrameSink where Self: ~Copyable {
  mutating func append(own frames: [UInt8]) { frames.withUnsafeBufferPointer { append(own: $0) } }
}

extension ByteBuffer: FrameSink {
  static var shares: Bool { false }
  mutating func append(own frames: UnsafeBufferPointer<UInt8>) { append(contentsOf: frames) }
  mutating func write(_ body: (inout ByteBuffer) -> Void) { body(&self) }
  mutating func append(_ frames: SharedFrames) { append(contentsOf: frames.bytes) }
}
