// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiSession

extension ServeCommand {
  /// How much one visitor, one address and one loop may have.
  static var limits: [Option<Configuration>] {
    [
      Option(
        name: "trust-proxy", placeholder: "CIDR",
        help:
          "network of proxies that tell their visitors' addresses, 127.0.0.1/32; repeat it, or separate by commas"
      ) { (target, text) throws(CommandLineError) in
        for network in text.split(separator: ",") {
          guard IPNetwork(network) != nil else {
            throw CommandLineError(
              "--trust-proxy takes networks such as 127.0.0.1/32 or 2001:db8::/32, whose bits behind the prefix are zero, "
                + "but \"\(network.prefix(80))\" came.")
          }
          target.trustedProxies.append(String(network))
        }
      },
      Option(
        name: "memory", placeholder: "BYTES",
        help: "memory of sessions and rooms, such as 500M or 2G (half of what the process may take)"
      ) { (target, text) throws(CommandLineError) in target.memory = try bytes(text, of: "--memory") },
      number(
        "peer-share", "per cent of it, and of --data-limit, that one visitor or address may hold (25)",
        1...100
      ) {
        $0.sessions.peerShare = $1
      },
      Option(
        name: "data-limit", placeholder: "BYTES",
        help: "most bytes of stored sessions and rooms, such as 500M or 2G (a tenth of the disk)"
      ) { (target, text) throws(CommandLineError) in target.dataLimit = try bytes(text, of: "--data-limit") },
      number("max-connections-per-peer", "open connections of one visitor (256)") {
        $0.maxConnectionsPerPeer = $1
      },
      number("max-rooms-per-peer", "rooms that one visitor has made (1000)") { $0.maxRoomsPerPeer = $1 },
      number(
        "max-requests-per-peer", "requests of one visitor to the program's own addresses under way (32)"
      ) { $0.maxRequestsPerPeer = $1 },
      number(
        "max-body-bytes", "bytes that a request to them brings, unless its route says more (65536)",
        0...1_000_000_000
      ) { $0.maxBodyBytes = $1 },
      number("max-uploads-per-peer", "files of one visitor that have not all arrived (32)") {
        $0.maxUploadsPerPeer = $1
      },
      Option(
        name: "max-upload-bytes-per-peer", placeholder: "BYTES",
        help: "bytes of the files of one visitor that have not all arrived, such as 500M or 2G (1G)"
      ) { (target, text) throws(CommandLineError) in
        target.maxUploadBytesPerPeer = try bytes(text, of: "--max-upload-bytes-per-peer")
      },
      Option(
        name: "max-upload-bytes", placeholder: "BYTES",
        help: "bytes of all files that have not all arrived, such as 500M or 2G (a tenth of the disk)"
      ) { (target, text) throws(CommandLineError) in
        target.maxUploadBytes = try bytes(text, of: "--max-upload-bytes")
      },
      rate("sessions-per-second", "new sessions of one visitor in the long run (20)") {
        $0.sessionsPerSecond = $1
      },
      number(
        "sessions-at-once", "new sessions of one visitor at once (10 times those of a second)", 1...10_000_000
      ) {
        $0.sessionsAtOnce = $1
      },
      number("address-factor", "times as much as a visitor that an address may have of these (8)", 1...1_000)
      {
        $0.addressFactor = $1
      },
      rate(
        "messages-per-second", "messages of each session in the long run; more are read slowly (1000)"
      ) { $0.messagesPerSecond = $1 },
      rate(
        "messages-per-address", "messages of each address in the long run; more are read slowly (10000)"
      ) { $0.messagesPerAddress = $1 },
      number(
        "max-sessions", "sessions without their pages that each loop keeps, the newest ones (20000)",
        0...1_000_000_000
      ) { $0.sessions.maxWaitingSessions = $1 },
      number("max-screens", "screens that one page has open at a time (32)", 1...1_000) {
        $0.sessions.maxScreens = $1
      },
    ]
  }

  /// Reads a number of bytes: k, M and G stand for powers of 1,024.
  static func bytes(_ text: String, of option: String) throws(CommandLineError) -> Int {
    let units: [Character: Int] = ["k": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = text.last.flatMap { units[$0] }
    guard let count = Int(unit == nil ? text[...] : text.dropLast()), count > 0,
      case (let bytes, false) = count.multipliedReportingOverflow(by: unit ?? 1), bytes >= 1 << 20
    else {
      throw CommandLineError(
        "\(option) takes a number of bytes from 1M on, such as 500M or 2G, but \"\(text.prefix(80))\" came.")
    }
    return bytes
  }

  private static func number(
    _ name: String, _ help: String, _ range: ClosedRange<Int> = 1...1_000_000_000,
    _ store: @escaping @Sendable (inout Configuration, Int) -> Void
  ) -> Option<Configuration> {
    Option(name: name, placeholder: "N", help: help) { (target, text) throws(CommandLineError) in
      guard let number = Int(text), range.contains(number) else {
        throw CommandLineError(
          "--\(name) takes a number from \(range.lowerBound) to \(range.upperBound), but \"\(text.prefix(80))\" came."
        )
      }
      store(&target, number)
    }
  }

  private static func rate(
    _ name: String, _ help: String, _ store: @escaping @Sendable (inout Configuration, Int?) -> Void
  ) -> Option<Configuration> {
    Option(name: name, placeholder: "N", help: help + "; or unlimited") {
      (target, text) throws(CommandLineError) in
      guard text != "unlimited" else { return store(&target, nil) }
      guard let rate = Int(text), (1...1_000_000).contains(rate) else {
        throw CommandLineError(
          "--\(name) takes unlimited or a number from 1 to 1000000, but \"\(text.prefix(80))\" came.")
      }
      store(&target, rate)
    }
  }
}
