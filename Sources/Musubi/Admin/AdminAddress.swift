// SPDX-License-Identifier: Apache-2.0
import MusubiServer

/// Where the server's state is shown to who runs it.
public struct AdminAddress: Equatable, Sendable {
  /// The address to listen on; default 127.0.0.1.
  public var host: String
  /// The port; 0 takes any free one.
  public var port: UInt16

  /// A port, on loopback unless another address is given.
  public init(host: String = "127.0.0.1", port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads `PORT` or `ADDRESS:PORT`, an IPv6 address in brackets.
  init(_ text: String) throws(CommandLineError) {
    let colon = text.lastIndex(of: ":")
    var host = colon.map { String(text[..<$0]) } ?? "127.0.0.1"
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    let isWhole = colon == nil || text.hasPrefix("[") || host.utf8.count { $0 == UInt8(ascii: ":") } == 0
    guard let port = UInt16(colon.map { text[text.index(after: $0)...] } ?? text[...]), isWhole,
      host == "localhost" || IPAddress(host) != nil
    else {
      throw CommandLineError(
        "--admin takes a port, or an address and a port such as 127.0.0.1:9090 or [::1]:9090, but "
          + "\"\(text.prefix(80))\" came.")
    }
    self.init(host: host, port: port)
  }

  /// Whether nobody of another machine can reach it.
  var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }
}
