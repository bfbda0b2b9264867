// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets

/// The bytes of an open WebSocket, which the library does not read, in both directions.
struct SocketStream {
  private let raw: OpaquePointer

  /// A stream of the shim.
  init(_ raw: OpaquePointer) { self.raw = raw }

  /// Ends the watching, once; the socket stays open.
  func release() { musubi_stream_destroy(raw) }

  /// Whether its bytes go through TLS.
  var isSecure: Bool { musubi_stream_is_secure(raw) != 0 }

  /// Says what the connection is told about; at first it is reading alone.
  func watch(reading: Bool, writing: Bool) { musubi_stream_watch(raw, reading ? 1 : 0, writing ? 1 : 0) }

  /// Reads arrived bytes: their number, 0 at the end of the connection, -1 if nothing has arrived.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    musubi_stream_receive(raw, buffer.baseAddress, buffer.count)
  }

  /// Sends what the kernel takes: the number of bytes, or -1 if the connection has ended.
  func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    musubi_stream_send(raw, bytes.baseAddress, bytes.count)
  }

  /// Whether the peer has gone, or sends no more; without taking what it has sent.
  var hasEnded: Bool { musubi_stream_has_ended(raw) != 0 }

  /// Tells the peer that nothing more comes.
  func sendEnd() { musubi_stream_end(raw) }
}
