// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc

/// An address to bind or to connect to, resolved.
struct SocketAddress {
  let family: Int32
  private let bytes: [UInt8]

  /// The address to listen at; looking it up may block.
  init(host: String, port: UInt16) throws(ServerError) {
    guard let first = Self.all(host: host, port: String(port), AI_PASSIVE).first else {
      throw .unknownAddress(host)
    }
    self = first
  }

  private init(_ info: addrinfo) {
    family = info.ai_family
    bytes = [UInt8](UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen)))
  }

  /// The addresses of a `host:port`; looking up a name may block, and anything else does not.
  ///
  /// - Parameters:
  ///   - place: The host, in brackets if it has colons, and the port.
  ///   - isNumeric: Whether names are not looked up.
  /// - Returns: The addresses, or none if there are none.
  static func all(of place: String, isNumeric: Bool) -> [SocketAddress] {
    guard let colon = place.lastIndex(of: ":") else { return [] }
    var host = place[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    let port = String(place[place.index(after: colon)...])
    return all(host: String(host), port: port, isNumeric ? AI_NUMERICHOST : 0)
  }

  private static func all(host: String, port: String, _ flags: Int32) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = flags | AI_NUMERICSERV
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, port, &hints, &first) == 0 else { return [] }
    defer { freeaddrinfo(first) }
    var list = first
    var addresses: [SocketAddress] = []
    while let info = list?.pointee {
      addresses.append(Self(info))
      list = info.ai_next
    }
    return addresses
  }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    bytes.withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { addresses in
        // The buffer has at least one address: the initializer copied it.
        guard let address = addresses.baseAddress else { preconditionFailure("An address without bytes.") }
        return body(address, socklen_t(bytes.count))
      }
    }
  }
}
