// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Where a load is made, or asked for: `tcp://HOST:PORT`.
struct LoadAddress: Equatable, CustomStringConvertible {
  let host: String
  let port: UInt16

  var description: String { "tcp://\(host):\(port)" }

  init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

  /// Reads `tcp://HOST:PORT`; nil for anything else.
  init?(_ text: String) {
    guard let parts = URLComponents(string: text), parts.scheme == "tcp", parts.path.isEmpty,
      let host = parts.host, !host.isEmpty, let port = parts.port.flatMap({ UInt16(exactly: $0) }),
      parts.query == nil, parts.user == nil
    else { return nil }
    self.init(host: host, port: port)
  }
}

/// A TCP connection that carries lines of JSON, at most 64 KiB each.
final class LineSocket {
  private static let capacity = 65_536
  private let descriptor: Int32
  private let input, output: UnsafeMutablePointer<FILE>

  /// Takes a connected socket, and closes it in the end.
  private init(_ descriptor: Int32) throws(BenchError) {
    self.descriptor = descriptor
    var yes: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard let input = fdopen(descriptor, "r"),
      let output = fdopen(fcntl(descriptor, F_DUPFD_CLOEXEC, 0), "w")
    else {
      throw BenchError("a socket has no stream: \(String(cString: strerror(errno)))")
    }
    (self.input, self.output) = (input, output)
  }

  deinit {
    fclose(output)
    fclose(input)
  }

  /// Sends a value as one line.
  ///
  /// - Throws: `BenchError` if the connection has gone.
  func send(_ value: some Encodable) throws(BenchError) {
    do {
      let line = try JSONEncoder().encode(value) + [UInt8(ascii: "\n")]
      let count = line.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, output) }
      guard count == line.count, fflush(output) == 0 else {
        throw BenchError("the connection has gone: \(String(cString: strerror(errno)))")
      }
    } catch { throw (error as? BenchError) ?? BenchError("a value is no JSON: \(error)") }
  }

  /// Waits for the next line.
  ///
  /// - Parameters:
  ///   - type: What the line is.
  ///   - seconds: How long.
  /// - Returns: The value; nil if the other side has closed the connection, or says nothing for so long.
  /// - Throws: `BenchError` if it is something else.
  func receive<Value: Decodable>(_ type: Value.Type, within seconds: Int) throws(BenchError) -> Value? {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let line = [UInt8](unsafeUninitializedCapacity: Self.capacity) { buffer, count in
      let text = buffer.withMemoryRebound(to: CChar.self) {
        fgets($0.baseAddress, Int32($0.count), input)
      }
      count = text.map { strlen($0) } ?? 0
    }
    guard !line.isEmpty else { return nil }
    guard line.last == UInt8(ascii: "\n") else { throw BenchError("a line ends before its end, or never") }
    do { return try JSONDecoder().decode(type, from: Data(line)) } catch {
      throw BenchError("\"\(String(decoding: line.prefix(200), as: UTF8.self))\" is something else: \(error)")
    }
  }

  // MARK: Both ends

  /// Connects.
  ///
  /// - Throws: `BenchError` if nobody listens there.
  static func connect(to address: LoadAddress) throws(BenchError) -> LineSocket {
    let (descriptor, failure) = try withSocket(for: address) { descriptor, name, length in
      Glibc.connect(descriptor, name, length)
    }
    guard failure == 0 else {
      throw BenchError("\(address) cannot be reached: \(String(cString: strerror(failure)))")
    }
    return try LineSocket(descriptor)
  }

  /// Listens.
  ///
  /// - Returns: The listening socket, and its port.
  /// - Throws: `BenchError` if that is not possible there.
  static func listen(at address: LoadAddress) throws(BenchError) -> (descriptor: Int32, port: UInt16) {
    var bound = sockaddr_in()
    let (descriptor, failure) = try withSocket(for: address) { descriptor, name, length in
      var (yes, length) = (Int32(1), length)
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      guard bind(descriptor, name, length) == 0, Glibc.listen(descriptor, 1) == 0 else { return -1 }
      return withUnsafeMutablePointer(to: &bound) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
      }
    }
    guard failure == 0 else {
      throw BenchError("\(address) cannot be listened on: \(String(cString: strerror(failure)))")
    }
    return (descriptor, UInt16(bigEndian: bound.sin_port))
  }

  /// Waits for somebody who connects.
  ///
  /// - Returns: The connection, and the IPv4 address of the other side.
  static func accept(from listener: Int32) throws(BenchError) -> (LineSocket, address: String) {
    var (peer, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
    let descriptor = withUnsafeMutablePointer(to: &peer) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.accept(listener, $0, &length) }
    }
    guard descriptor >= 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
      throw BenchError("nobody can connect any more: \(String(cString: strerror(errno)))")
    }
    return (try LineSocket(descriptor), String(cString: inet_ntoa(peer.sin_addr)))
  }

  /// Does something with a new socket and an IPv4 address; the socket, and the `errno` of what failed, or 0.
  private static func withSocket(
    for address: LoadAddress, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(BenchError) -> (Int32, failure: Int32) {
    var hints = addrinfo()
    (hints.ai_family, hints.ai_socktype) = (AF_INET, Int32(SOCK_STREAM.rawValue))
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address.host, String(address.port), &hints, &list) == 0, let list else {
      throw BenchError("\(address.host) has no IPv4 address")
    }
    defer { freeaddrinfo(list) }
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw BenchError("no socket: \(String(cString: strerror(errno)))") }
    guard body(descriptor, list.pointee.ai_addr, list.pointee.ai_addrlen) == 0 else {
      let failure = errno
      close(descriptor)
      return (-1, failure)
    }
    return (descriptor, 0)
  }
}
