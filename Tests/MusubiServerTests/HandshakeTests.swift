// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Handshakes` {
  @Test func `a page on a known screen is served`() async throws {
    try await LiveServer.with { live in
      let client = try live.client()

      let response = try client.upgrade(
        "/live/known?room=a%20b", adding: ["Sec-WebSocket-Protocol: musubi.v1"])
      try client.sendText("hello")

      #expect(response.status == 101)
      #expect(response.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
      #expect(response.headers["sec-websocket-protocol"] == "musubi.v1")
      #expect(try client.readText() == "text 5 hello")
      #expect(live.record.events.contains("connect a b"))
    }
  }

  @Test(arguments: [
    Attempt(
      "another version", 400, "bad-request", without: ["Sec-WebSocket-Version"],
      adding: ["Sec-WebSocket-Version: 8"]),
    Attempt("no version", 400, "bad-request", without: ["Sec-WebSocket-Version"]),
    Attempt("no key", 400, "bad-request", without: ["Sec-WebSocket-Key"]),
    Attempt(
      "a short key", 400, "bad-request", without: ["Sec-WebSocket-Key"], adding: ["Sec-WebSocket-Key: YQ=="]),
    Attempt("POST", 400, "bad-request", method: "POST"),
    Attempt("HTTP/1.0", 400, "bad-request", version: "1.0"),
    Attempt("another subprotocol", 400, "bad-request", adding: ["Sec-WebSocket-Protocol: graphql-ws"]),
    Attempt("a foreign origin", 403, "origin-not-allowed", adding: ["Origin: http://evil.example"]),
    Attempt("the origin null", 403, "origin-not-allowed", adding: ["Origin: null"]),
    Attempt(
      "an origin that starts like ours", 403, "origin-not-allowed", adding: ["Origin: http://localhost.evil"]),
    Attempt("another port", 403, "origin-not-allowed", adding: ["Origin: http://localhost:8081"]),
    Attempt("an unknown screen", 404, "unknown-screen", path: "/live/unknown"),
    Attempt("an address without screens", 404, "not-found", path: "/elsewhere"),
  ])
  func `what does not fit is refused with a status and a reason`(_ attempt: Attempt) async throws {
    try await LiveServer.with { live in
      let client = try live.client()

      let response = try client.upgrade(
        attempt.path, method: attempt.method, version: attempt.version, without: attempt.without,
        adding: attempt.adding)

      #expect(response.status == attempt.status)
      #expect(response.text.hasPrefix("{\"code\":\"\(attempt.code)\",\"message\":\""))
      #expect(response.headers["access-control-allow-origin"] == "*")
      #expect(try client.isAtEnd())
      #expect(live.record.events == ["service on loop 0"])
    }
  }

  @Test(arguments: [
    ("a%26b%3Dc", "a&b=c"), ("%E7%B5%90%E3%81%B3", "結び"), ("a=b", "a=b"), ("x&room=second", "x"), ("", ""),
  ])
  func `a room's name arrives decoded once`(_ encoded: String, _ room: String) async throws {
    try await LiveServer.with { live in
      _ = try live.page("/live/known?room=\(encoded)")

      await live.untilEvents { $0.count > 1 }
      #expect(live.record.events.contains("connect \(room)"))
    }
  }

  @Test(arguments: [
    "Origin: http://localhost", "Origin: https://localhost", "Origin: http://LOCALHOST:80",
    "Origin: https://pages.example",
  ])
  func `the own and the allowed origins may connect`(_ origin: String) async throws {
    try await LiveServer.with({ $0.allowedOrigins = ["https://pages.example"] }) { live in
      let response = try live.client().upgrade("/live/known", adding: [origin])

      #expect(response.status == 101)
    }
  }

  @Test(arguments: [
    ("192.168.1.7:8080", 101), ("[::1]:8080", 101), ("app.localhost", 101), ("pages.example:8080", 101),
    ("evil.example", 403), ("localhost.evil.example", 403), ("127.0.0.1.evil.example:8080", 403),
  ])
  func `a name that was pointed here shows no own pages unless it is allowed`(
    _ host: String, _ status: Int
  ) async throws {
    try await LiveServer.with({ $0.allowedHosts = ["pages.example"] }) { live in
      let client = try live.client()

      let fields = (["Host: \(host)", "Origin: http://\(host)"] + ClientSocket.handshakeHeaders)
      try client.send("GET /live/known HTTP/1.1\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
      let response = try client.readResponse()

      #expect(response.status == status)
      if status == 403 { #expect(response.text.contains("--allow-host")) }
    }
  }

  @Test func `a refused origin is logged with the option that allows it`() async throws {
    try await LiveServer.with { live in
      _ = try live.client().upgrade("/live/known", adding: ["Origin: http://pages.example"])

      #expect(live.log.contains("--allow-origin http://pages.example"))
    }
  }

  @Test func `an upgrade to HTTP 2 is refused`() async throws {
    try await LiveServer.with { live in
      let client = try live.client()

      try client.send(
        "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n"
          + "HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n")

      #expect(try client.readResponse().status == 400)
      #expect(try client.isAtEnd())
    }
  }

  @Test func `the method CONNECT ends the connection`() async throws {
    try await LiveServer.with { live in
      let client = try live.client()

      try client.send("CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n")

      #expect(try client.isAtEnd())
    }
  }

  @Test func `the same request without a handshake tells scripts the problem`() async throws {
    try await LiveServer.with { live in
      let client = try live.client()

      let fine = try client.get("/live/known")
      let unknown = try client.get("/live/unknown")
      let foreign = try client.get("/live/known", headers: ["Origin: http://evil.example"])

      #expect([fine.status, unknown.status, foreign.status] == [426, 404, 403])
      #expect(fine.text.contains("\"upgrade-required\""))
      #expect(unknown.text.contains("\"unknown-screen\""))
      #expect(foreign.text.contains("\"origin-not-allowed\""))
      #expect(foreign.headers["access-control-allow-origin"] == "*")
    }
  }

  @Test func `a full server refuses the next page and serves it when one has left`() async throws {
    try await LiveServer.with({ $0.maxConnections = 1 }) { live in
      let first = try live.page()

      let refused = try live.client().upgrade("/live/known")
      try first.sendFrame(8, [0x03, 0xE8])
      _ = try first.readFrame()
      _ = try first.isAtEnd()

      #expect(refused.status == 503)
      #expect(refused.text.contains("\"full\""))
      #expect(try live.client().upgrade("/live/known").status == 101)
    }
  }

  @Test func `header fields may take 15 KiB, not more than the limit`() async throws {
    try await LiveServer.with { live in
      let large = "Cookie: a=" + String(repeating: "x", count: 15_000)
      let tooLarge = "Cookie: a=" + String(repeating: "x", count: 20_000)

      #expect(try live.client().upgrade("/live/known", adding: [large]).status == 101)
      let client = try live.client()
      #expect(throws: (any Error).self) { try client.upgrade("/live/known", adding: [tooLarge]) }
    }
  }
}

/// A handshake that must fail.
struct Attempt: CustomTestStringConvertible {
  var testDescription: String
  var status: Int
  var code: String
  var path: String
  var method: String
  var version: String
  var without: [String]
  var adding: [String]

  init(
    _ name: String, _ status: Int, _ code: String, path: String = "/live/known", method: String = "GET",
    version: String = "1.1", without: [String] = [], adding: [String] = []
  ) {
    testDescription = name
    self.status = status
    self.code = code
    self.path = path
    self.method = method
    self.version = version
    self.without = without
    self.adding = adding
  }
}
