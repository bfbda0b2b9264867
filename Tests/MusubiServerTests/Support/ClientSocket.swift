// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A plain blocking TCP client on loopback that sends exactly a test's bytes.
///
/// A read that waits longer than ten seconds fails the test instead of hanging it.
final class ClientSocket {
  enum Failure: Error {
    case cannotConnect, closed, timedOut, malformed(String)
  }

  struct Response {
    var status: Int
    var headers: [String: String]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// Connects from 127.0.0.1, or another one of loopback's addresses by its last number.
  init(port: UInt16, receiveBufferBytes: Int32? = nil, from host: UInt32 = 1) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var bytes = receiveBufferBytes {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    func call(_ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    address.sin_addr.s_addr = (0x7F00_0000 | host).bigEndian
    if host != 1 { _ = call(bind) }
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = call(connect)
    guard result == 0 else { throw Failure.cannotConnect }
  }

  /// The other end of a connection that was accepted.
  init(accepted: Int32) {
    descriptor = accepted
    _ = fcntl(accepted, F_SETFL, fcntl(accepted, F_GETFL) & ~O_NONBLOCK)
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { Glibc.close(descriptor) }

  // MARK: - Bytes

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure.closed }
      rest = rest.dropFirst(count)
    }
  }

  /// Whether the server has closed its side, after all that it sent.
  func isAtEnd() throws -> Bool {
    do {
      _ = try read(1)
      return false
    } catch Failure.closed {
      return true
    }
  }

  private func fill() throws {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &chunk, chunk.count, 0)
    if count < 0, errno == EAGAIN { throw Failure.timedOut }
    guard count > 0 else { throw Failure.closed }
    buffer += chunk[..<count]
  }

  func read(_ count: Int) throws -> [UInt8] {
    while buffer.count < count { try fill() }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  private func readLine() throws -> String {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeFirst(end + 1)
        return line.hasSuffix("\r") ? String(line.dropLast()) : line
      }
      try fill()
    }
  }

  // MARK: - HTTP

  func readResponse(hasBody: Bool = true) throws -> Response {
    let statusLine = try readLine()
    guard let status = Int(statusLine.split(separator: " ").dropFirst().first ?? "") else {
      throw Failure.malformed(statusLine)
    }
    var headers: [String: String] = [:]
    while case let line = try readLine(), !line.isEmpty {
      guard let colon = line.firstIndex(of: ":") else { throw Failure.malformed(line) }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].drop { $0 == " " }.description
    }
    let length = hasBody ? Int(headers["content-length"] ?? "0") ?? 0 : 0
    return Response(status: status, headers: headers, body: try read(length))
  }

  func get(_ path: String, method: String = "GET", headers: [String] = []) throws -> Response {
    let fields = (["Host: localhost"] + headers).map { $0 + "\r\n" }.joined()
    try send("\(method) \(path) HTTP/1.1\r\n\(fields)\r\n")
    return try readResponse(hasBody: method != "HEAD")
  }

  // MARK: - WebSocket

  static let handshakeHeaders = [
    "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  ]

  /// Makes a handshake; `without` drops header fields that start so, `adding` adds some.
  func upgrade(
    _ path: String, method: String = "GET", version: String = "1.1", without: [String] = [],
    adding: [String] = []
  ) throws -> Response {
    let fields = (["Host: localhost"] + Self.handshakeHeaders).filter { field in
      !without.contains { field.hasPrefix($0) }
    }
    let text = (fields + adding).map { $0 + "\r\n" }.joined()
    try send("\(method) \(path) HTTP/\(version)\r\n\(text)\r\n")
    return try readResponse()
  }

  func sendFrame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) throws {
    try send(Self.frame(opcode, payload, isFinal: isFinal))
  }

  func sendText(_ text: String) throws { try sendFrame(1, Array(text.utf8)) }

  static func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
    var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
    switch payload.count {
    case ..<126: bytes.append(0x80 | UInt8(payload.count))
    case ..<65_536: bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
    default:
      bytes.append(0x80 | 127)
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(payload.count >> shift & 255)) }
    }
    let mask: [UInt8] = [1, 2, 3, 4]
    bytes += mask
    for (index, byte) in payload.enumerated() { bytes.append(byte ^ mask[index & 3]) }
    return bytes
  }

  struct Frame: Equatable {
    var opcode: UInt8
    var payload: [UInt8]

    var text: String { String(decoding: payload, as: UTF8.self) }
    var closeCode: Int? { opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil }
  }

  func readFrame() throws -> Frame {
    let head = try read(2)
    var length = Int(head[1] & 0x7F)
    if length == 126 { length = try read(2).reduce(0) { $0 << 8 | Int($1) } }
    if length == 127 { length = try read(8).reduce(0) { $0 << 8 | Int($1) } }
    return Frame(opcode: head[0] & 0x0F, payload: try read(length))
  }

  func readText() throws -> String { try readFrame().text }
}
