// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc

/// A listening TCP socket: one that shares its port with those of the other loops (SO_REUSEPORT), or one that was
/// inherited.
///
/// Accepted sockets inherit its options, so that a connection costs no system call for them.
final class ListenSocket {
  /// The file descriptor; -1 once closed.
  private(set) var descriptor: Int32
  /// The port, also if any free one was asked for.
  let port: UInt16
  /// The address, as text.
  let host: String
  /// Whether somebody else keeps the socket open, and whoever waits in its queue with it.
  let isInherited: Bool
  /// Kept to be given up for a moment when the process runs out of descriptors.
  private var spare = ListenSocket.openSpare()

  /// Binds and listens.
  ///
  /// - Parameters:
  ///   - host: An address or name of this machine.
  ///   - port: The port; 0 for any free one.
  ///   - options: What connections have of the configuration.
  /// - Throws: `ServerError` that says which setting to change.
  init(host: String, port: UInt16, _ options: ServerConfiguration) throws(ServerError) {
    let address = try SocketAddress(host: host, port: port)
    let descriptor = try Self.openSocket(address)
    self.descriptor = descriptor
    self.host = host
    isInherited = false
    Self.set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1)
    Self.setOptionsOfConnections(descriptor, options)
    do throws(ServerError) {
      try Self.bind(descriptor, to: address, host: host, port: port)
      guard listen(descriptor, 4_096) == 0 else { throw Self.failure(host: host, port: port) }
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    self.port = Self.boundAddress(of: descriptor).port
  }

  /// Shares a socket that listens already, and that outlives this process: systemd's, while it replaces the service.
  ///
  /// - Parameters:
  ///   - inherited: The socket's descriptor, which stays open; several loops may share it.
  ///   - options: What connections have of the configuration.
  /// - Throws: `ServerError` if it is no listening TCP socket.
  init(inherited: Int32, _ options: ServerConfiguration) throws(ServerError) {
    (host, port) = try ServerConfiguration.address(ofInherited: inherited)
    descriptor = fcntl(inherited, F_DUPFD_CLOEXEC, 3)
    guard descriptor >= 0 else { throw .cannotStart(String(cString: strerror(errno))) }
    // Else the loop that comes second to a connection would wait for the next one.
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    Self.setOptionsOfConnections(descriptor, options)
    isInherited = true
  }

  deinit {
    close()
    Glibc.close(spare)
  }

  /// Accepts no more; unless it is inherited, connections are refused from now on.
  func close() {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }

  /// Takes one waiting connection.
  ///
  /// - Returns: Its descriptor and the peer's address, or nil if none waits.
  func accept() -> (descriptor: Int32, address: String)? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      guard let start = text.baseAddress else { return nil }
      while true {
        let accepted = musubi_accept(descriptor, start, text.count)
        if accepted >= 0 { return (accepted, String(cString: start)) }
        // The peer gave up while it waited; the next one may be fine.
        if accepted == -ECONNABORTED || accepted == -EINTR { continue }
        if accepted == -EMFILE || accepted == -ENFILE { turnOneAway() }
        return nil
      }
    }
  }

  /// Hangs up on one peer although the process has no file descriptor left.
  ///
  /// Else it would stay in the queue and wake the loop without end.
  private func turnOneAway() {
    Glibc.close(spare)
    let accepted = Glibc.accept(descriptor, nil, nil)
    if accepted >= 0 { Glibc.close(accepted) }
    spare = Self.openSpare()
  }

  private static func openSpare() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }

  /// Fails if another program listens on the port, which SO_REUSEPORT alone would not tell of the same user's.
  static func checkIsFree(host: String, port: UInt16) throws(ServerError) {
    guard port != 0 else { return }
    let address = try SocketAddress(host: host, port: port)
    let descriptor = try openSocket(address)
    defer { Glibc.close(descriptor) }
    try bind(descriptor, to: address, host: host, port: port)
  }

  private static func openSocket(_ address: SocketAddress) throws(ServerError) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, kind, 0)
    guard descriptor >= 0 else { throw .cannotStart(String(cString: strerror(errno))) }
    // A restart need not wait until the old connections' last packets have died out.
    set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    return descriptor
  }

  private static func bind(
    _ descriptor: Int32, to address: SocketAddress, host: String, port: UInt16
  ) throws(ServerError) {
    let result = address.withPointer { Glibc.bind(descriptor, $0, $1) }
    guard result == 0 else { throw failure(host: host, port: port) }
  }

  private static func failure(host: String, port: UInt16) -> ServerError {
    switch errno {
    case EADDRINUSE: .portTaken(port, host: host)
    case EACCES: .noPermission(port: port)
    case EADDRNOTAVAIL: .unknownAddress(host)
    default: .cannotStart(String(cString: strerror(errno)))
    }
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func setOptionsOfConnections(_ descriptor: Int32, _ options: ServerConfiguration) {
    set(descriptor, SOL_SOCKET, SO_SNDBUF, Int32(clamping: options.sendBufferBytes))
    set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    // With TLS a connection is accepted when the client has begun: then its handshake is a part of accepting it, whose
    // time is limited, and not of the events of many sockets at once. On an inherited socket zero takes it back.
    let seconds =
      options.certificateFiles == nil ? 0 : Int32(clamping: options.handshakeTimeout.components.seconds)
    set(descriptor, Int32(IPPROTO_TCP), TCP_DEFER_ACCEPT, seconds)
  }

  fileprivate static func isListening(_ descriptor: Int32) -> Bool {
    func option(_ name: Int32) -> Int32? {
      var value: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
    return option(SO_ACCEPTCONN) == 1 && [AF_INET, AF_INET6].contains(option(SO_DOMAIN))
  }

  fileprivate static func boundAddress(of descriptor: Int32) -> (host: String, port: UInt16) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &storage) { bytes in
      guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        getsockname(descriptor, address, &length) == 0
      else { return ("", 0) }
      let host = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
        guard let start = text.baseAddress,
          getnameinfo(address, length, start, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
        else { return "" }
        return String(cString: start)
      }
      // In both families the port follows the family, in network order.
      return (host, UInt16(bytes[2]) << 8 | UInt16(bytes[3]))
    }
  }
}

extension ServerConfiguration {
  /// Where a socket listens that was handed over.
  ///
  /// - Parameter descriptor: One of `inheritedSockets`.
  /// - Returns: The address as text, and the port.
  /// - Throws: `ServerError` if it is no listening TCP socket.
  package static func address(ofInherited descriptor: Int32) throws(ServerError) -> (
    host: String, port: UInt16
  ) {
    guard ListenSocket.isListening(descriptor) else {
      throw .cannotStart("descriptor \(descriptor), which was handed over, is no listening TCP socket")
    }
    return ListenSocket.boundAddress(of: descriptor)
  }
}
