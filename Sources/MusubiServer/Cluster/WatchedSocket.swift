// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc

/// Hears when its socket can be read or written.
protocol WatchedSocketOwner: AnyObject {
  func ready(isReadable: Bool, isWritable: Bool)
}

/// A socket that a loop watches for one owner; for the loop's thread alone.
///
/// It must be closed or taken before the loop goes.
final class WatchedSocket {
  weak var owner: (any WatchedSocketOwner)?
  private var descriptor: Int32
  private var raw: OpaquePointer?
  private var watched = (reading: false, writing: false)

  /// Takes over a non-blocking socket.
  init(_ descriptor: Int32, on loop: LibevLoop) {
    self.descriptor = descriptor
    raw = musubi_watch_create(loop.raw, descriptor, Unmanaged.passUnretained(self).toOpaque())
    precondition(raw != nil, "There is no memory to watch a socket.")
  }

  deinit { close() }

  /// The socket that a C callback is about.
  static func at(_ owner: UnsafeMutableRawPointer?) -> WatchedSocket? {
    owner.map { Unmanaged<WatchedSocket>.fromOpaque($0).takeUnretainedValue() }
  }

  fileprivate func forget() -> Int32 {
    if let raw { musubi_watch_destroy(raw) }
    raw = nil
    defer { descriptor = -1 }
    return descriptor
  }

  /// Closes the socket; nobody hears of it any more.
  func close() {
    let descriptor = forget()
    if descriptor >= 0 { Glibc.close(descriptor) }
  }

  /// Gives the open socket away; -1 if it was closed.
  func take() -> Int32 { forget() }

  func ready(isReadable: Bool, isWritable: Bool) {
    owner?.ready(isReadable: isReadable, isWritable: isWritable)
  }

  /// Says what the owner hears of; at first it is nothing.
  func watch(reading: Bool, writing: Bool) {
    guard let raw, watched != (reading, writing) else { return }
    watched = (reading, writing)
    musubi_watch_set(raw, reading ? 1 : 0, writing ? 1 : 0)
  }

  /// Reads what has arrived.
  ///
  /// - Returns: The number of bytes, 0 at the end, or -1 if nothing has arrived.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    return count < 0 ? (isOnlyLater ? -1 : 0) : count
  }

  /// Sends what the kernel takes.
  ///
  /// - Returns: The number of bytes, or -1 if the connection has ended.
  func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    return count < 0 && isOnlyLater ? 0 : count
  }

  /// The error of a connection that was being made; 0 if it is open.
  var connectionError: Int32 { option(SOL_SOCKET, SO_ERROR) ?? EBADF }

  /// Whether the last call would have had to wait.
  private var isOnlyLater: Bool { errno == EAGAIN || errno == EINTR }

  private func option(_ level: Int32, _ name: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, level, name, &value, &length) == 0 ? value : nil
  }
}

/// The sockets between nodes.
enum LinkSocket {
  /// The kernel takes no more than that: what waits behind it is the link's, which can tell that it waits.
  static let sendBufferBytes = 1_048_576

  /// Begins to connect.
  ///
  /// - Returns: A non-blocking socket, or the error.
  static func connecting(to address: SocketAddress) -> Result<Int32, SystemError> {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, kind, 0)
    guard descriptor >= 0 else { return .failure(SystemError(number: errno)) }
    set(descriptor, SOL_SOCKET, SO_SNDBUF, Int32(sendBufferBytes))
    setOptions(of: descriptor)
    let result = address.withPointer { connect(descriptor, $0, $1) }
    guard result == 0 || errno == EINPROGRESS else {
      let error = SystemError(number: errno)
      close(descriptor)
      return .failure(error)
    }
    return .success(descriptor)
  }

  /// What both ends set: bytes leave at once, and a peer that does not answer for three seconds has gone.
  ///
  /// So has one that takes no bytes for that long although some wait for it.
  static func setOptions(of descriptor: Int32) {
    let tcp = Int32(IPPROTO_TCP)
    set(descriptor, tcp, TCP_NODELAY, 1)
    set(descriptor, tcp, TCP_USER_TIMEOUT, 3_000)
    set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
    set(descriptor, tcp, TCP_KEEPIDLE, 1)
    set(descriptor, tcp, TCP_KEEPINTVL, 1)
    set(descriptor, tcp, TCP_KEEPCNT, 3)
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// What a call of the system said.
  struct SystemError: Error, CustomStringConvertible {
    let number: Int32

    var description: String { String(cString: strerror(number)) }
  }
}
