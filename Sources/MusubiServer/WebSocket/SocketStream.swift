// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets

/// The bytes of a socket that the library does not read, in both directions.
struct SocketStream {
  private let raw: OpaquePointer

  /// A stream of the shim.
  init(_ raw: OpaquePointer) { self.raw = raw }

  /// Watches an accepted socket.
  ///
  /// - Parameters:
  ///   - descriptor: The socket.
  ///   - loop: The loop that the socket belongs to.
  ///   - connection: Who is told; kept alive by the caller until the stream is released or closed.
  init?(_ descriptor: Int32, on loop: LibevLoop, for connection: Connection) {
    let owner = Unmanaged.passUnretained(connection).toOpaque()
    guard let raw = musubi_stream_create(loop.raw, descriptor, owner) else { return nil }
    self.raw = raw
  }

  /// Ends the watching, once; the socket stays open.
  ///
  /// - Returns: Its descriptor.
  @discardableResult func release() -> Int32 { musubi_stream_destroy(raw) }

  /// Ends the watching and closes the socket; only if the library does not have it.
  func close() { musubi_stream_close(raw) }

  /// Says what the connection is told about; at first it is reading alone.
  func watch(reading: Bool, writing: Bool) { musubi_stream_watch(raw, reading ? 1 : 0, writing ? 1 : 0) }

  /// Reads what has arrived: the number of bytes, 0 at the end of the connection, -1 if nothing has arrived.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    musubi_stream_receive(raw, buffer.baseAddress, buffer.count)
  }

  /// The same, and what was read stays to be read.
  func peek(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    musubi_stream_peek(raw, buffer.baseAddress, buffer.count)
  }

  /// Sends what the kernel takes: the number of bytes, or -1 if the connection has ended.
  func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    musubi_stream_send(raw, bytes.baseAddress, bytes.count)
  }

  /// Tells the peer that nothing more comes.
  func sendEnd() { musubi_stream_end(raw) }
}
