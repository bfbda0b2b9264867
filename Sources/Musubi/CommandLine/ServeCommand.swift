// SPDX-License-Identifier: Apache-2.0
import Glibc
import MusubiSession

/// The command line of a server: `serve [options]`.
package enum ServeCommand {
  /// Reads a configuration from arguments and environment; an argument wins.
  ///
  /// - Parameters:
  ///   - arguments: The words after `serve`.
  ///   - environment: The process's environment; each option is also a variable, `MUSUBI_PORT` for `--port`. Sockets
  ///     that systemd hands over are announced here, too.
  ///   - base: What holds where neither says anything.
  ///   - own: The program's own options.
  /// - Returns: The configuration.
  /// - Throws: `CommandLineError` for an unknown option, a missing or a wrong value.
  package static func configuration(
    from arguments: [String], environment: [String: String], over base: Configuration = Configuration(),
    _ own: [ProgramOption] = []
  ) throws(CommandLineError) -> Configuration {
    var configuration = base
    try parser(with: own).parse(arguments, environment: environment, into: &configuration)
    guard configuration.storesSessions || configuration.storeURL == nil else {
      throw CommandLineError(
        "--sessions memory stores nothing, and --store says where; leave one of them out.")
    }
    guard configuration.clusterURL == nil || configuration.storeURL == nil else {
      throw CommandLineError("--cluster takes the place of --store; leave one of them out.")
    }
    guard configuration.storesSessions || configuration.clusterURL == nil else {
      throw CommandLineError(
        "--sessions memory stores nothing, and --cluster says where; leave one of them out.")
    }
    let sockets = try SocketActivation(in: environment, process: getpid())
    if !sockets.pages.isEmpty { configuration.inheritedSockets = sockets.pages }
    configuration.inheritedAdminSocket = sockets.admin ?? configuration.inheritedAdminSocket
    configuration.scriptVisitors = try ScriptVisitors(in: environment, host: configuration.host)
    return configuration
  }

  /// The options as a table for `--help`.
  static func help(with own: [ProgramOption]) -> String { parser(with: own).help }

  private static func parser(with own: [ProgramOption]) -> OptionParser<Configuration> {
    OptionParser(
      command: "serve", options: network + content + cluster + limits + times + watching + own.map(\.option))
  }

  private static var network: [Option<Configuration>] {
    [
      Option(name: "host", placeholder: "ADDRESS", help: "address to listen on (127.0.0.1; 0.0.0.0 for all)")
      {
        (target, text) throws(CommandLineError) in
        guard !text.isEmpty else { throw CommandLineError("--host needs an address.") }
        target.host = text
      },
      Option(name: "port", placeholder: "N", help: "port; 0 takes any free one (8080)") {
        (target, text) throws(CommandLineError) in
        guard let port = UInt16(text) else {
          throw CommandLineError("--port takes a number from 0 to 65535, but \"\(text.prefix(80))\" came.")
        }
        target.port = port
      },
      Option(name: "loops", placeholder: "N", help: "event loops, one thread each (auto: one per core)") {
        (target, text) throws(CommandLineError) in
        if text == "auto" {
          target.loops = nil
          return
        }
        guard let loops = Int(text), (1...64).contains(loops) else {
          throw CommandLineError(
            "--loops takes auto or a number from 1 to 64, but \"\(text.prefix(80))\" came.")
        }
        target.loops = loops
      },
      Option(
        name: "tls-certificate", placeholder: "FILE",
        help: "the server's certificate and its chain, in PEM; with --tls-key (off: connections are plain)"
      ) { (target, text) throws(CommandLineError) in
        guard !text.isEmpty else { throw CommandLineError("--tls-certificate needs a file.") }
        target.certificateFile = text
      },
      Option(name: "tls-key", placeholder: "FILE", help: "the certificate's key, in PEM") {
        (target, text) throws(CommandLineError) in
        guard !text.isEmpty else { throw CommandLineError("--tls-key needs a file.") }
        target.keyFile = text
      },
      Option(
        name: "allow-origin", placeholder: "ORIGIN",
        help: "further origin whose pages may connect; repeat it, or separate by commas"
      ) { (target, text) throws(CommandLineError) in
        for origin in text.split(separator: ",") { target.allowedOrigins.append(try checked(origin: origin)) }
      },
      Option(
        name: "allow-host", placeholder: "NAME",
        help: "name of this server, where pages are shown under one; repeat it, or separate by commas"
      ) { (target, text) throws(CommandLineError) in
        target.allowedHosts += text.split(separator: ",").map(String.init)
      },
    ]
  }

  private static var content: [Option<Configuration>] {
    [
      Option(name: "public", placeholder: "DIR", help: "folder with the pages (Public)") {
        (target, text) throws(CommandLineError) in target.publicFolder = text
      },
      Option(
        name: "data", placeholder: "DIR",
        help: "folder for what must survive a restart; without it nothing is written anywhere"
      ) { (target, text) throws(CommandLineError) in target.dataFolder = text },
      Option(
        name: "secret-file", placeholder: "FILE",
        help:
          "file of mode 0600 with the keys of sealed cookies, the newest first; made if missing (DATA/secrets, or with --cluster a key from the database)"
      ) { (target, text) throws(CommandLineError) in
        guard !text.isEmpty else { throw CommandLineError("--secret-file needs a file.") }
        target.secretFile = text
      },
      Option(
        name: "upload-folder", placeholder: "DIR",
        help: "folder where files that are sent wait until they are complete (DATA/uploads)"
      ) { (target, text) throws(CommandLineError) in
        guard !text.isEmpty else { throw CommandLineError("--upload-folder needs a folder.") }
        target.uploadFolder = text
      },
      Option(
        name: "upload-lifetime", placeholder: "SECONDS",
        help: "how long a file is kept of which no byte arrives (86400)"
      ) { (target, text) throws(CommandLineError) in
        target.uploadLifetime = .seconds(try count(text, of: "--upload-lifetime"))
      },
      Option(
        name: "sessions", placeholder: "PLACE",
        help:
          "disk, synced-disk (safe from a loss of power, too) or memory: where sessions and rooms live (disk, if there is --data)"
      ) { (target, text) throws(CommandLineError) in
        guard ["disk", "synced-disk", "memory"].contains(text) else {
          throw CommandLineError(
            "--sessions takes disk, synced-disk or memory, but \"\(text.prefix(80))\" came.")
        }
        target.storesSessions = text != "memory"
        target.syncsSessions = text == "synced-disk"
      },
      Option(
        name: "store", placeholder: "URL",
        help:
          "PostgreSQL where sessions and rooms live instead, postgres://user@host/database; without a password"
      ) { (target, text) throws(CommandLineError) in target.storeURL = try StoreOption.url(text) },
      Option(
        name: "store-file", placeholder: "FILE",
        help: "file of mode 0600 with that URL, which may have a password"
      ) { (target, text) throws(CommandLineError) in target.storeURL = try StoreOption.url(inFile: text) },
      Option(
        name: "session-lifetime", placeholder: "SECONDS",
        help: "how long a session without its page is kept, also over a restart (600)"
      ) { (target, text) throws(CommandLineError) in
        target.sessions.sessionLifetime = .seconds(try count(text, of: "--session-lifetime"))
      },
      Option(
        name: "room-lifetime", placeholder: "SECONDS",
        help: "how long a room that nobody shows is kept, also over a restart (600)"
      ) { (target, text) throws(CommandLineError) in
        target.sessions.roomLifetime = .seconds(try count(text, of: "--room-lifetime"))
      },
      Option(
        name: "dev", placeholder: nil,
        help: "for authors: reload changed pages, check their names, log every input and patch"
      ) { (target, _) throws(CommandLineError) in target.isDevelopment = true },
      Option(
        name: "conformance-echo", placeholder: "PATH", help: "raw WebSocket echo for conformance suites (off)"
      ) { (target, text) throws(CommandLineError) in
        guard text.hasPrefix("/") else {
          throw CommandLineError(
            "--conformance-echo takes a path such as /echo, but \"\(text.prefix(80))\" came.")
        }
        target.conformanceEcho = text
      },
    ]
  }

  private static var watching: [Option<Configuration>] {
    [
      Option(
        name: "record", placeholder: "DIR",
        help: "folder where what happens in every room is written down, for replay (off)"
      ) { (target, text) throws(CommandLineError) in
        guard !text.isEmpty else { throw CommandLineError("--record needs a folder.") }
        target.recordFolder = text
      },
      Option(
        name: "record-limit", placeholder: "BYTES",
        help: "most bytes of all records there, such as 500M or 2G (256M); the oldest go"
      ) { (target, text) throws(CommandLineError) in
        target.recordLimit = try bytes(text, of: "--record-limit")
      },
      Option(
        name: "admin", placeholder: "ADDRESS",
        help:
          "port, or address and port, for metrics, health and the server's state; on 127.0.0.1 by default (off)"
      ) { (target, text) throws(CommandLineError) in target.admin = try AdminAddress(text) },
      Option(
        name: "admin-token", placeholder: "FILE",
        help: "file of mode 0600 with the token that --admin asks for on other addresses than loopback"
      ) { (target, text) throws(CommandLineError) in target.adminTokenFile = text },
      Option(
        name: "inspect", placeholder: nil,
        help: "show on the admin port what happens in rooms, with what people type (off; on with --dev)"
      ) { (target, _) throws(CommandLineError) in target.showsRooms = true },
      Option(name: "log-level", placeholder: "LEVEL", help: "debug, info, warning or error (info)") {
        (target, text) throws(CommandLineError) in
        guard let level = Configuration.LogLevel(rawValue: text) else {
          throw CommandLineError(
            "--log-level takes debug, info, warning or error, but \"\(text.prefix(80))\" came.")
        }
        target.logLevel = level
      },
      Option(name: "log-format", placeholder: "FORMAT", help: "text or json (text)") {
        (target, text) throws(CommandLineError) in
        guard let format = Configuration.LogFormat(rawValue: text) else {
          throw CommandLineError("--log-format takes text or json, but \"\(text.prefix(80))\" came.")
        }
        target.logFormat = format
      },
    ]
  }

  static func count(_ text: String, of option: String) throws(CommandLineError) -> Int {
    guard let number = Int(text), (0...1_000_000_000).contains(number) else {
      throw CommandLineError(
        "\(option) takes a number from 0 to 1000000000, but \"\(text.prefix(80))\" came.")
    }
    return number
  }

  private static func checked(origin: Substring) throws(CommandLineError) -> String {
    let hasScheme = origin.hasPrefix("http://") || origin.hasPrefix("https://")
    let rest = origin.drop { $0 != ":" }.dropFirst(3)
    guard origin == "*" || (hasScheme && !rest.isEmpty && !rest.contains("/")) else {
      throw CommandLineError(
        "--allow-origin takes an origin such as https://example.org, without a path, but \"\(origin.prefix(80))\" came."
      )
    }
    return String(origin)
  }
}
