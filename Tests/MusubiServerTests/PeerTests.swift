// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiSession
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `The limits of a peer` {
  private func limits(connections: Int, sessions: MessageRate? = nil) -> PeerLedger {
    var limits = PeerLimits()
    // An address has eight times as many.
    limits.connections = connections
    limits.sessions = sessions
    return PeerLedger(limits)
  }

  private func trust(_ configuration: inout ServerConfiguration) {
    configuration.trustedProxies = TrustedProxies(["127.0.0.0/8"].compactMap { IPNetwork($0) })
  }

  private func open(_ live: LiveServer, from address: String) throws -> (ClientSocket, ClientSocket.Response)
  {
    let client = try live.client()
    return (client, try client.upgrade("/live/known", adding: ["X-Forwarded-For: 9.9.9.9, \(address)"]))
  }

  @Test func `hold for each visitor behind a trusted proxy by itself`() async throws {
    let ledger = limits(connections: 1)
    try await LiveServer.with({ trust(&$0) }, ledger: ledger) { live in
      let pages = try (0..<8).map { _ in try open(live, from: "192.0.2.1") }
      let (refused, answer) = try open(live, from: "192.0.2.1")
      let (_, other) = try open(live, from: "192.0.2.2")

      #expect(pages.allSatisfy { $0.1.status == 101 })
      #expect(answer.status == 429)
      #expect(answer.headers["retry-after"] == "10")
      #expect(answer.text.hasPrefix(#"{"code":"too-many","message":"Too many pages are open"#))
      #expect(try refused.isAtEnd())
      #expect(other.status == 101)
      #expect(ledger.refusals.counts == ["too-many-connections": 1])
      #expect(live.log.contains("connected connection=1 address=192.0.2.1"))
      #expect(
        live.log.contains("reason=too-many-connections code=too-many path=/live/known address=192.0.2.1"))
    }
  }

  @Test func `are there again when a connection has gone`() async throws {
    let ledger = limits(connections: 1)
    try await LiveServer.with({ trust(&$0) }, ledger: ledger) { live in
      var pages = try (0..<8).map { _ in try open(live, from: "2001:db8::1") }
      #expect(try open(live, from: "2001:db8::2").1.status == 429)

      pages.removeLast()

      while try open(live, from: "2001:db8::3").1.status != 101, !Task.isCancelled {}
    }
  }

  @Test func `are told to a plain request, and take nothing for it`() async throws {
    let ledger = limits(connections: 1)
    try await LiveServer.with({ trust(&$0) }, ledger: ledger) { live in
      let visitor = ["X-Forwarded-For: 192.0.2.1"]
      for _ in 0..<20 {
        #expect(try live.client().get("/live/known", headers: visitor).status == 426)
      }
      let pages = try (0..<8).map { _ in try open(live, from: "192.0.2.1") }

      #expect(ledger.refusals.counts.isEmpty)
      #expect(try live.client().get("/live/known", headers: visitor).status == 429)
      #expect(try live.client().get("/", headers: visitor).status == 200)
      #expect(ledger.refusals.counts == ["too-many-connections": 1])
      #expect(
        live.log.contains(
          "request refused reason=too-many-connections code=too-many path=/live/known address=192.0.2.1"))
      withExtendedLifetime(pages) {}
    }
  }

  @Test(arguments: ["known", "limited-later"])
  func `are not told to plain requests for ever`(_ screen: String) async throws {
    // Sixteen refusals that are answered; each second gives back eight.
    let ledger = limits(connections: 1, sessions: MessageRate(perSecond: 1, burst: 2))
    try await LiveServer.with({ trust(&$0) }, ledger: ledger) { live in
      let visitor = ["X-Forwarded-For: 192.0.2.1"]
      let pages = try (0..<8).map { _ in
        screen == "known" ? try open(live, from: "192.0.2.1").0 : try live.client()
      }
      var statuses: [Int] = []
      for _ in 0..<1_000 {
        let client = try live.client()
        do {
          statuses.append(try client.get("/live/\(screen)", headers: visitor).status)
        } catch {
          break
        }
      }

      #expect(statuses.count >= 16)
      #expect(statuses.count < 1_000)
      #expect(statuses.allSatisfy { $0 == 429 })
      #expect(
        ledger.refusals.counts == ["too-many-connections": statuses.count, "closed-unanswered": 1])
      #expect(live.log.contains("refused reason=closed-unanswered address=192.0.2.1"))
      withExtendedLifetime(pages) {}
    }
  }

  @Test(arguments: [false, true])
  func `end with a socket that is closed unheard`(isSecure: Bool) async throws {
    let ledger = limits(connections: 1)
    let folder = try TemporaryFolder()
    let files = CertificateFiles(certificate: folder.path + "/cert.pem", key: folder.path + "/key.pem")
    if isSecure {
      _ = try openssl([
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
        "-subj", "/CN=localhost", "-out", files.certificate, "-keyout", files.key,
      ])
    }
    try await LiveServer.with(
      {
        $0.countsLoopback = true
        if isSecure { $0.certificateFiles = files }
      }, ledger: ledger
    ) { live in
      // With TLS a socket is taken when its handshake begins; none of these goes on with it.
      func idleClient() throws -> ClientSocket {
        let client = try live.client()
        if isSecure { try client.send([0x16]) }
        return client
      }
      let idle = try (0..<16).map { _ in try idleClient() }

      let more = try idleClient()

      #expect(try more.isAtEnd())
      #expect(ledger.refusals.counts == ["closed-unheard": 1])
      #expect(live.log.contains("refused reason=closed-unheard address=127.0.0.1 peer=a:127.0.0.1 count=1"))
      withExtendedLifetime(idle) {}
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `bound sessions, then answers, then sockets`() async throws {
    // Sixteen sessions, sixteen refusals that are answered; hours until one more.
    let ledger = limits(connections: 1_000, sessions: MessageRate(perSecond: 1, burst: 2))
    try await LiveServer.with({ $0.countsLoopback = true }, ledger: ledger) { live in
      var statuses: [Int] = []
      for _ in 0..<1_000 {
        do {
          statuses.append(try live.client().upgrade("/live/known").status)
        } catch {
          break
        }
      }

      // Each second gives back eight of each.
      #expect(statuses.prefix(16).allSatisfy { $0 == 101 })
      #expect(statuses.contains(429))
      #expect(statuses.count < 1_000)
      let counts = ledger.refusals.counts
      #expect((counts["too-many-sessions"] ?? 0) >= 16)
      #expect((counts["closed-unheard"] ?? 0) + (counts["closed-unanswered"] ?? 0) > 0)
    }
  }

  @Test func `bound guesses of the operator's token, behind a proxy as well`() async throws {
    let ledger = limits(connections: 1_000, sessions: MessageRate(perSecond: 1, burst: 2))
    let gate = AccessGate(token: "0123456789abcdef", isGuarded: true, isSecure: false)
    let network = try #require(IPNetwork("127.0.0.0/8"))
    try await LiveServer.with(
      {
        $0.gate = gate
        $0.trustedProxies = TrustedProxies([network])
      }, ledger: ledger
    ) { live in
      var answers: [String] = []
      for guess in 0..<200 {
        let client = try live.client()
        try client.send(
          "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 192.0.2.1\r\nAuthorization: Bearer \(guess)\r\n\r\n"
        )
        guard try !client.isAtEnd() else { break }
        answers.append("401")
      }

      #expect(answers.count >= 16 && answers.count < 200, "Each second gives back eight.")
    }
  }

  @Test func `of one who is not named as a proxy are told once`() async throws {
    try await LiveServer.with { live in
      for _ in 0..<2 { _ = try live.client().get("/", headers: ["X-Forwarded-For: 192.0.2.1"]) }
      _ = try live.client().get("/", headers: ["Forwarded: for=192.0.2.1"])

      #expect(live.log.count("proxy not trusted") == 1)
      #expect(live.log.contains(#"address=127.0.0.1 trust-with="--trust-proxy 127.0.0.1/32""#))
      #expect(!live.log.contains("address=192.0.2.1"))
    }
  }

  @Test func `are told by a trusted proxy alone who somebody is`() async throws {
    for isTrusted in [false, true] {
      try await LiveServer.with({ if isTrusted { trust(&$0) } }) { live in
        let client = try live.client()

        let response = try client.upgrade("/live/known", adding: ["X-Forwarded-User: ann@tea.example"])

        #expect(response.status == 101)
        while !live.record.events.contains(where: { $0.hasPrefix("connect") }), !Task.isCancelled {
          await Task.yield()
        }
        #expect(live.record.events.contains("user ann@tea.example") == isTrusted)
      }
    }
  }

  @Test func `follow the header Forwarded, too`() async throws {
    try await LiveServer.with({ trust(&$0) }) { live in
      let client = try live.client()

      let response = try client.upgrade("/live/known", adding: [#"Forwarded: for="[2001:db8::9]:7""#])

      #expect(response.status == 101)
      while !live.log.contains("address=2001:db8::9"), !Task.isCancelled { await Task.yield() }
      #expect(live.log.contains("address=2001:db8::9"))
      #expect(!live.log.contains("proxy not trusted"))
    }
  }

  @Test(arguments: [
    (["for=1.1.1.1", "for=192.0.2.1"], "192.0.2.1"),
    (["for=1.1.1.1", "for=1.1.1.1", "for=192.0.2.1"], "192.0.2.1"),
    (["for=1.1.1.1", "for=192.0.2.1, for=127.0.0.2", "", "for=127.0.0.3"], "127.0.0.3"),
    (["", "for=192.0.2.1"], "192.0.2.1"), (["for=192.0.2.1", "forwarded:for=1.1.1.1"], "127.0.0.1"),
    (["forwarded:for=1.1.1.1", "for=192.0.2.1", "for=127.0.0.2"], "192.0.2.1"),
  ])
  func `follow all lines of Forwarded`(_ lines: [String], _ address: String) async throws {
    try await LiveServer.with({ trust(&$0) }) { live in
      let client = try live.client()
      let headers = lines.map { "Forwarded: \($0)" } + ["User-Agent: forwarded:", "X-More: forwarded:x"]

      // A second request on the socket is read by itself, whatever the first one has left.
      for (path, status) in [
        ("/no?forwarded:=forwarded:&\(String(repeating: "x", count: 500))", 404), ("/no", 404),
      ] {
        #expect(try client.get(path, headers: headers).status == status)
      }

      #expect(live.log.count("address=\(address)") >= 2)
    }
  }

  @Test(arguments: ["Zz: b", "Zz: \0\0\0\0\0\0\0\0x"])
  func `follow no line before the method`(_ line: String) async throws {
    try await LiveServer.with({ trust(&$0) }) { live in
      let client = try live.client()

      try client.send(
        "Zz: b\r\nForwarded: for=1.1.1.1\r\n\(line)\r\nGET /no HTTP/1.1\r\nHost: localhost\r\n\r\n")

      #expect(try client.readResponse().status == 403)
      #expect(!live.log.contains("address=1.1.1.1"))
    }
  }

  @Test(arguments: ["X-Forwarded", "X", "a", "Acc", "Content-Leng", "Forwarded: for=1.1.1.1\r\nX"])
  func `follow no request whose lines the library cannot tell apart`(_ name: String) async throws {
    try await LiveServer.with({ trust(&$0) }) { live in
      let client = try live.client()
      let visitor = ["X-Forwarded-For: 1.1.1.1", "\(name): a"]
      for _ in 0..<3 {
        #expect(try client.get("/no", headers: ["X-Forwarded-Fore: a", "Zz: a"]).status == 404)
        #expect(try live.client().get("/no", headers: visitor + ["X-Forwarded-For: 192.0.2.1"]).status == 400)
        #expect(
          try live.client().get("/no", headers: visitor + ["b", "Forwarded: for=192.0.2.1"]).status == 400)
      }

      try client.send("GET /no HTTP/1.1\r\nHost: a\r\n\(name): a\r\nContent-Length: 3\r\n\r\nGET")

      #expect(try client.readResponse().status == 400)
      #expect(try client.isAtEnd())
    }
  }

  @Test func `follow the last line of X-Forwarded-Proto`() async throws {
    let seen = ServiceRecord()
    let match: @Sendable (HTTPRequest) -> HTTPRouteMatch = {
      seen.note("\($0.isSecure)")
      return .none
    }
    try await LiveServer.with({ trust(&$0) }, match: match) { live in
      for lines in [["https", "http"], ["http", "https"]] {
        _ = try live.client().get("/no", headers: lines.map { "X-Forwarded-Proto: \($0)" })
      }

      #expect(seen.events == ["false", "true"])
    }
  }

  @Test func `are nobody's where two lines say who somebody is`() async throws {
    try await LiveServer.with({ trust(&$0) }) { live in
      let lines = ["X-Forwarded-User: eve@tea.example", "X-Forwarded-User: ann@tea.example"]

      let response = try live.client().upgrade("/live/known", adding: lines)

      #expect(response.status == 400)
      #expect(response.text.contains("A request from a proxy has one line of x-forwarded-user."))
      #expect(try live.client().get("/", headers: lines).status == 400)
    }
  }

  @Test(arguments: ["unknown", "_hidden", "192.0.2.1, ", "unknown, 127.0.0.1"])
  func `hold for all together whom a proxy does not name`(_ way: String) async throws {
    let ledger = limits(connections: 1)
    try await LiveServer.with({ trust(&$0) }, ledger: ledger) { live in
      func open(_ headers: [String]) throws -> (ClientSocket, Int) {
        let client = try live.client()
        return (client, try client.upgrade("/live/known", adding: headers).status)
      }
      let pages = try (0..<8).map { _ in try open(["X-Forwarded-For: \(way)"]) }

      #expect(pages.allSatisfy { $0.1 == 101 })
      #expect(try open(["X-Forwarded-For: \(way)"]).1 == 429)
      // The proxy itself, which asks for itself.
      #expect(try open([]).1 == 101)
      withExtendedLifetime(pages) {}
    }
  }
}
