// SPDX-License-Identifier: Apache-2.0
import Glibc
import MusubiServer
import MusubiSession
import Foundation
import Testing

@testable import Musubi

@Suite struct `The command line of serve` {
  @Test func `an argument wins over the environment`() throws {
    let configuration = try ServeCommand.configuration(
      from: ["--port=9000", "--dev"], environment: ["MUSUBI_PORT": "1", "MUSUBI_HOST": "::1"])

    #expect(configuration.port == 9_000)
    #expect(configuration.host == "::1")
    #expect(configuration.isDevelopment == true)
  }

  private static let secret = String(repeating: "s", count: 32)

  @Test func `visitors of scripts are for servers that scripts have started`() throws {
    let header = "Musubi-Script \(Self.secret) %61nn%2C,host,%65ditor"
    let scripted = try ServeCommand.configuration(
      from: [], environment: [ScriptVisitors.variable: Self.secret]
    ).scriptVisitors

    #expect(try ServeCommand.configuration(from: [], environment: [:]).scriptVisitors == nil)
    #expect(
      scripted?.visitor(header) == Visitor(id: "ann,", displayName: "ann,", roles: ["editor", "host"]))
    for other in [
      nil, "", "Basic YQ==", "Musubi-Script \(Self.secret) ", "Musubi-Script \(Self.secret)s ann",
    ] {
      #expect(scripted?.visitor(other) == nil)
    }
  }

  @Test(arguments: [("0.0.0.0", secret), ("127.0.0.1", "short")])
  func `a server that others reach, or could guess, takes none`(host: String, secret: String) {
    #expect(throws: CommandLineError.self) {
      try ServeCommand.configuration(
        from: ["--host", host], environment: [ScriptVisitors.variable: secret])
    }
  }

  @Test(arguments: ["0", "false", "no"])
  func `a switch can be off in the environment`(word: String) throws {
    let configuration = try ServeCommand.configuration(from: [], environment: ["MUSUBI_DEV": word])

    #expect(configuration.isDevelopment == false)
  }

  @Test func `sessions are kept as long and as many as is said`() throws {
    let configuration = try ServeCommand.configuration(
      from: ["--session-lifetime", "60", "--max-sessions=5", "--room-lifetime", "7", "--sessions", "memory"],
      environment: [:])

    #expect(configuration.sessions.sessionLifetime == .seconds(60))
    #expect(configuration.sessions.maxWaitingSessions == 5)
    #expect(configuration.sessions.roomLifetime == .seconds(7))
    #expect(configuration.storesSessions == false)
  }

  @Test func `memory is bytes, with a unit or without`() throws {
    for (word, bytes) in [("2G", 2 << 30), ("500M", 500 << 20), ("2048k", 2 << 20), ("1048576", 1 << 20)] {
      #expect(try ServeCommand.configuration(from: ["--memory", word], environment: [:]).memory == bytes)
    }
    for word in ["", "M", "1k", "-5M", "3T", "99999999999G"] {
      #expect(throws: CommandLineError.self) {
        try ServeCommand.configuration(from: ["--memory", word], environment: [:])
      }
    }
    #expect(try ServeCommand.configuration(from: [], environment: [:]).memory == nil)
  }

  @Test func `what one visitor may have is bounded, or as is said`() throws {
    let ordinary = try ServeCommand.configuration(from: [], environment: [:])
    let other = try ServeCommand.configuration(
      from: [
        "--max-connections-per-peer", "7", "--max-rooms-per-peer", "8", "--sessions-per-second", "unlimited",
        "--max-screens", "9", "--trust-proxy", "10.0.0.0/8,::1", "--address-factor", "3",
        "--messages-per-address", "40", "--peer-share", "60",
      ], environment: ["MUSUBI_TRUST_PROXY": "127.0.0.1"])

    #expect(ordinary.peerLimits == PeerLimits())
    #expect(ordinary.sessions.maxScreens == 32)
    #expect(ordinary.sessions.peerShare == 25)
    #expect(ordinary.server.trustedProxies.networks == [])
    #expect(other.peerLimits.connections == 7)
    #expect(other.peerLimits.rooms == 8)
    #expect(other.peerLimits.sessions == nil)
    #expect(other.peerLimits.width(of: .identity("ann")) == 1)
    #expect(other.peerLimits.width(of: .address("192.0.2.1")) == 3)
    #expect(other.peerLimits.width(of: .network("2001:db8::/48")) == 24)
    #expect(ordinary.server.messageRatePerAddress == MessageRate(perSecond: 10_000, burst: 50_000))
    #expect(other.server.messageRatePerAddress == MessageRate(perSecond: 40, burst: 200))
    #expect(other.sessions.maxScreens == 9)
    #expect(other.sessions.peerShare == 60)
    #expect(
      other.server.trustedProxies.networks
        == ["127.0.0.1", "10.0.0.0/8", "::1"].compactMap { IPNetwork($0) })
  }

  @Test func `as many sessions begin at once as is said, else ten times those of a second`() throws {
    func rate(_ arguments: String...) throws -> MessageRate? {
      try ServeCommand.configuration(from: arguments, environment: [:]).peerLimits.sessions
    }

    #expect(try rate("--sessions-per-second", "7") == MessageRate(perSecond: 7, burst: 70))
    #expect(try rate("--sessions-at-once", "9") == MessageRate(perSecond: 20, burst: 9))
    #expect(
      try rate("--sessions-at-once=5000", "--sessions-per-second=3")
        == MessageRate(perSecond: 3, burst: 5_000))
  }

  @Test func `no limit of messages is none of addresses either`() throws {
    for arguments in [["--messages-per-second", "unlimited"], ["--messages-per-address", "unlimited"]] {
      let configuration = try ServeCommand.configuration(from: arguments, environment: [:])
      #expect(configuration.server.messageRatePerAddress == nil)
    }
  }

  @Test func `requests of routes are bounded, and cookies sealed, or as is said`() throws {
    let ordinary = try ServeCommand.configuration(from: [], environment: [:])
    let other = try ServeCommand.configuration(
      from: [
        "--secret-file", "keys", "--max-requests-per-peer", "1", "--max-body-bytes=1000000000",
        "--request-timeout", "3600",
      ], environment: ["MUSUBI_REQUEST_TIMEOUT": "1"])

    #expect(ordinary.secretFile == nil)
    #expect(ordinary.peerLimits.requests == 32)
    #expect(ordinary.maxBodyBytes == 65_536)
    #expect(ordinary.requestTimeout == .seconds(30))
    #expect(other.secretFile == "keys")
    #expect(other.peerLimits.requests == 1)
    #expect(other.maxBodyBytes == 1_000_000_000)
    #expect(other.requestTimeout == .seconds(3_600))
  }

  @Test(arguments: [
    ("--secret-file", "", "--secret-file needs a file."),
    ("--max-requests-per-peer", "0", "takes a number from 1 to 1000000000, but \"0\" came."),
    ("--max-connections-per-peer", "0", "takes a number from 1 to 1000000000, but \"0\" came."),
    ("--max-rooms-per-peer", "0", "takes a number from 1 to 1000000000, but \"0\" came."),
    ("--sessions-at-once", "0", "takes a number from 1 to 10000000, but \"0\" came."),
    ("--address-factor", "0", "takes a number from 1 to 1000, but \"0\" came."),
    ("--address-factor", "1001", "takes a number from 1 to 1000, but \"1001\" came."),
    ("--messages-per-address", "0", "takes unlimited or a number from 1 to 1000000, but \"0\" came."),
    ("--peer-share", "0", "takes a number from 1 to 100, but \"0\" came."),
    ("--peer-share", "101", "takes a number from 1 to 100, but \"101\" came."),
    ("--max-screens", "1001", "takes a number from 1 to 1000, but \"1001\" came."),
    ("--max-requests-per-peer", "-1", "takes a number from 1 to 1000000000, but \"-1\" came."),
    ("--max-requests-per-peer", "many", "takes a number from 1 to 1000000000, but \"many\" came."),
    ("--max-body-bytes", "1000000001", "takes a number from 0 to 1000000000, but \"1000000001\" came."),
    ("--max-body-bytes", "64k", "takes a number from 0 to 1000000000, but \"64k\" came."),
    ("--request-timeout", "0", "takes seconds, 1 to 3600, but \"0\" came."),
    ("--request-timeout", "3601", "takes seconds, 1 to 3600, but \"3601\" came."),
    ("--request-timeout", "soon", "takes seconds, 1 to 3600, but \"soon\" came."),
  ])
  func `what cannot bound them says what can`(option: String, value: String, sentence: String) {
    let error = #expect(throws: CommandLineError.self) {
      try ServeCommand.configuration(from: [option, value], environment: [:])
    }

    #expect(error?.description == (sentence.hasPrefix("--") ? sentence : "\(option) \(sentence)"))
  }

  @Test func `silent peers are given up within 30 seconds, or as is said`() throws {
    let ordinary = try ServeCommand.configuration(from: [], environment: [:])
    let other = try ServeCommand.configuration(from: ["--dead-after", "6"], environment: [:])

    #expect(ordinary.server.hangUpAfter == .seconds(30) && ordinary.server.pingAfter == .seconds(20))
    #expect(other.server.hangUpAfter == .seconds(6) && other.server.pingAfter == .seconds(4))
  }

  @Test func `the application has 5 seconds to say who somebody is, or as long as is said`() throws {
    let ordinary = try ServeCommand.configuration(from: [], environment: [:])
    let other = try ServeCommand.configuration(from: ["--identify-timeout", "2"], environment: [:])

    #expect(ordinary.identifyTimeout == .seconds(5))
    #expect(other.identifyTimeout == .seconds(2))
  }

  @Test func `the wait after ends that nobody asked for is bounded by 30 seconds, or as is said`() throws {
    let ordinary = try ServeCommand.configuration(from: [], environment: [:])
    let other = try ServeCommand.configuration(from: ["--max-restart-wait", "0"], environment: [:])

    #expect(ordinary.maxRestartWait == .seconds(30))
    #expect(other.maxRestartWait == .zero)
  }

  @Test func `sessions live in PostgreSQL if a URL is given, by a file if it has a password`() throws {
    func configuration(_ arguments: String...) throws -> Configuration {
      try ServeCommand.configuration(from: arguments, environment: [:])
    }
    func problem(_ arguments: String...) -> String? {
      #expect(throws: CommandLineError.self) {
        try ServeCommand.configuration(from: arguments, environment: [:])
      }?.description
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "musubi-\(UUID().uuidString)")
    try Data("postgres://ann:secret@db/musubi\n".utf8).write(to: file)

    #expect(try configuration().storeURL == nil)
    let plain = try configuration("--store", "postgresql://ann@db,db2:6432/musubi?sslmode=require")
    #expect(plain.storeURL == "postgresql://ann@db,db2:6432/musubi?sslmode=require" && plain.keepsSessions)
    #expect(problem("--store", "postgres://ann:secret@db/musubi")?.contains("PGPASSWORD") == true)
    #expect(problem("--store", "postgres://ann@db/musubi?password=secret")?.contains("secret") == false)
    for wrong in ["mysql://ann:secret@db/musubi", "", "postgres://ann:secret@db:%/"] {
      let sentence = problem("--store", wrong)
      #expect(sentence == "--store takes a URL such as postgres://user@host:5432/database.")
    }
    #expect(problem("--store-file", file.path)?.contains("give it the mode 0600") == true)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    #expect(try configuration("--store-file", file.path).storeURL == "postgres://ann:secret@db/musubi")
    #expect(problem("--store-file", file.path + ".gone")?.contains("--store-file") == true)
    try Data("secret".utf8).write(to: file)
    #expect(problem("--store-file", file.path)?.contains("secret") == false)
    try FileManager.default.removeItem(at: file)
    #expect(problem("--sessions", "memory", "--store", "postgres://ann@db/x")?.contains("leave one") == true)
  }

  @Test func `each commit is synced if that is asked for`() throws {
    let configurations = try ["disk", "synced-disk", "memory"].map {
      try ServeCommand.configuration(from: ["--sessions", $0], environment: [:])
    }

    #expect(configurations.map { $0.storesSessions } == [true, true, false])
    #expect(configurations.map { $0.syncsSessions } == [false, true, false])
  }

  @Test func `a wrong value in the environment names its variable`() {
    let error = #expect(throws: CommandLineError.self) {
      try ServeCommand.configuration(from: [], environment: ["MUSUBI_PORT": "abc"])
    }

    #expect(error?.description.contains("\"abc\"") == true)
    #expect(error?.description.hasSuffix("MUSUBI_PORT.") == true)
  }

  @Test(arguments: [
    ["--port"], ["--port", "70000"], ["--sessions", "cloud"], ["--session-lifetime", "-1"], ["--bogus"],
    ["extra"], ["--dev=1"], ["--loops", "0"],
    ["--trust-proxy", "10.0.0.1/8"], ["--trust-proxy", "proxy.example"], ["--max-screens", "0"],
    ["--sessions-per-second", "0"], ["--log-level", "loud"], ["--log-format", "xml"],
    ["--allow-origin", "example.org"],
    ["--tls-certificate", ""], ["--tls-key="], ["--dead-after", "1"], ["--restart-spread", "soon"],
    ["--allow-origin", "https://example.org/page"], ["--conformance-echo", "echo"],
  ])
  func `what cannot be used is refused with a sentence`(arguments: [String]) {
    let error = #expect(throws: CommandLineError.self) {
      try ServeCommand.configuration(from: arguments, environment: [:])
    }

    #expect(error?.description.hasSuffix(".") == true)
  }

  @Test func `the files of the certificate come from options and from the environment`() throws {
    let options = try ServeCommand.configuration(
      from: ["--tls-certificate", "a.crt", "--tls-key", "a.key"], environment: [:])
    let environment = try ServeCommand.configuration(
      from: [], environment: ["MUSUBI_TLS_CERTIFICATE": "b.crt", "MUSUBI_TLS_KEY": "b.key"])

    #expect([options.certificateFile, options.keyFile] == ["a.crt", "a.key"])
    #expect([environment.certificateFile, environment.keyFile] == ["b.crt", "b.key"])
  }

  @Test func `sockets that were handed over to this process are taken`() throws {
    let own = ["LISTEN_FDS": "2", "LISTEN_PID": "\(getpid())"]
    let foreign = ["LISTEN_FDS": "2", "LISTEN_PID": "1"]
    let wrong = ["LISTEN_FDS": "many", "LISTEN_PID": "\(getpid())"]

    #expect(try ServeCommand.configuration(from: [], environment: own).inheritedSockets == [3, 4])
    #expect(try ServeCommand.configuration(from: [], environment: foreign).inheritedSockets == [])
    #expect(throws: CommandLineError.self) {
      try ServeCommand.configuration(from: [], environment: wrong)
    }
  }

  @Test(
    arguments: [
      ("", [3], nil), ("unknown:gallery.socket", [3, 4], nil), ("admin:public", [4], 3),
      (":admin:", [3, 5], 4),
      ("admin", [], 3),
    ] as [(String, [Int32], Int32?)])
  func `sockets have the meaning of their names`(names: String, pages: [Int32], admin: Int32?) throws {
    let count = names.count { $0 == ":" } + 1
    let environment = ["LISTEN_FDS": "\(count)", "LISTEN_PID": "\(getpid())", "LISTEN_FDNAMES": names]

    let configuration = try ServeCommand.configuration(from: [], environment: environment)

    #expect(configuration.inheritedSockets == pages)
    #expect(configuration.inheritedAdminSocket == admin)
  }

  @Test(arguments: ["admin", "a:b:c", "admin:admin", "public:metrics", "public:Admin"])
  func `sockets whose names do not fit are refused with a sentence`(names: String) {
    let environment = ["LISTEN_FDS": "2", "LISTEN_PID": "\(getpid())", "LISTEN_FDNAMES": names]

    let error = #expect(throws: CommandLineError.self) {
      try ServeCommand.configuration(from: [], environment: environment)
    }
    #expect(error?.description.hasPrefix("LISTEN_FDNAMES ") == true)
  }
}
