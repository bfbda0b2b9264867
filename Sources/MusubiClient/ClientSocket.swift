// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A non-blocking TCP socket; closes with its last reference.
final class ClientSocket {
  /// The result of a read.
  enum Reading: Equatable {
    case bytes([UInt8])
    case nothingYet
    case end
  }

  let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { Glibc.close(descriptor) }

  /// Begins to connect; the socket becomes writable once that is done.
  ///
  /// - Throws: `ClientError` if the name has no address or the network refuses at once.
  static func connect(to server: ServerAddress) throws(ClientError) -> ClientSocket {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(server.host, String(server.port), &hints, &list) == 0, let first = list else {
      throw ClientError(.network("the host '\(server.host)' has no address"))
    }
    defer { freeaddrinfo(first) }
    var failure = "cannot connect to \(server)"
    // Non-blocking connects cannot tell here which address answers; loopback names list IPv4 and IPv6, and servers
    // for tests listen on IPv4, so that comes first.
    for address in addresses(first).sorted(by: { $0.ai_family == AF_INET && $1.ai_family != AF_INET }) {
      let descriptor = socket(
        address.ai_family,
        Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { continue }
      let candidate = ClientSocket(descriptor: descriptor)
      var on: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 || errno == EINPROGRESS {
        return candidate
      }
      failure = "cannot connect to \(server): \(String(cString: strerror(errno)))"
    }
    throw ClientError(.network(failure))
  }

  private static func addresses(_ first: UnsafeMutablePointer<addrinfo>) -> [addrinfo] {
    Array(sequence(first: first) { $0.pointee.ai_next }.map(\.pointee))
  }

  /// The error of a connect that has ended; nil if it worked.
  var connectFailure: String? {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
    return code == 0 ? nil : String(cString: strerror(code))
  }

  /// Reads the bytes that have arrived.
  func read() -> Reading {
    var status = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
      status = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      count = max(0, status)
    }
    if status > 0 { return .bytes(bytes) }
    return status < 0 && (errno == EAGAIN || errno == EINTR) ? .nothingYet : .end
  }

  /// Writes as much as the kernel takes.
  ///
  /// - Returns: The number of bytes; nil if the connection has gone.
  func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    let count = bytes.withUnsafeBytes {
      send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  /// Makes the close an abrupt one, which the peer sees as a reset, as when a cable is cut.
  func abort() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }
}
