// SPDX-License-Identifier: Apache-2.0

extension ServeCommand {
  /// Several servers that share the rooms.
  static var cluster: [Option<Configuration>] {
    [
      Option(
        name: "cluster", placeholder: "URL",
        help:
          "PostgreSQL of several servers that share the rooms, postgres://user@host/database; without a password"
      ) { (target, text) throws(CommandLineError) in
        target.clusterURL = try StoreOption.url(text, of: "cluster")
      },
      Option(
        name: "cluster-file", placeholder: "FILE",
        help: "file of mode 0600 with that URL, which may have a password"
      ) { (target, text) throws(CommandLineError) in
        target.clusterURL = try StoreOption.url(inFile: text, of: "cluster-file")
      },
      Option(
        name: "node-listen", placeholder: "HOST:PORT",
        help: "where links of the other servers arrive (any port of the address that reaches PostgreSQL)"
      ) { (target, text) throws(CommandLineError) in
        target.nodeListen = try address(text, of: "--node-listen")
      },
      Option(
        name: "node-address", placeholder: "HOST:PORT",
        help: "what the other servers call this one (where it listens)"
      ) { (target, text) throws(CommandLineError) in
        target.nodeAddress = try address(text, of: "--node-address")
      },
      Option(
        name: "node-silence", placeholder: "MILLISECONDS",
        help: "how long a server says nothing until the others take its rooms (1200)"
      ) { (target, text) throws(CommandLineError) in
        guard let milliseconds = Int(text), (600...60_000).contains(milliseconds) else {
          throw CommandLineError(
            "--node-silence takes milliseconds, 600 to 60000, but \"\(text.prefix(80))\" came.")
        }
        target.nodeSilence = .milliseconds(milliseconds)
      },
      seconds(
        "ready-delay",
        "how long a server that stops goes on after /readyz has said so, before its rooms go to others (2)",
        0...300
      ) { $0.readyDelay = $1 },
      seconds(
        "balance-after", "how old the youngest server is when rooms begin to move to it (60)", 0...86_400
      ) { $0.balanceAge = $1 },
    ]
  }

  private static func address(_ text: String, of option: String) throws(CommandLineError) -> String {
    guard NodeAddress(text) != nil else {
      throw CommandLineError(
        "\(option) takes an address and a port such as 10.0.0.5:7411 or [fd00::5]:7411, but \"\(text.prefix(80))\" came."
      )
    }
    return text
  }
}

/// A host and a port.
struct NodeAddress: Equatable {
  let host: String
  let port: UInt16

  init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

  /// Reads `host:port`, with brackets around an IPv6 address; nil for anything else.
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
      return nil
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.init(host: String(host), port: port)
  }

  var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
