// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Requests that the library reads` {
  /// A handshake as browsers write it.
  private static let usual = """
    GET /live/known?edits=1&room=a HTTP/1.1
    Host: localhost:8080
    Connection: keep-alive, Upgrade
    Upgrade: websocket
    Origin: http://localhost:8080
    Sec-WebSocket-Version: 13
    Accept-Encoding: gzip, deflate, br, zstd
    Accept-Language: fr-CH, fr;q=0.9
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
    Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits
    Sec-WebSocket-Protocol: musubi.v1


    """.replacing("\n", with: "\r\n")

  @Test(arguments: [
    "/live/known?room=a%20b+c/d=e&x", "/live/known?room=%E7%B5%90&room=2", "/live/known", "/live/known?room",
    "/live/unknown", "/elsewhere?room=a", "/live/known?room=%2541",
  ])
  func `have the same answer in one piece and in several`(_ address: String) async throws {
    try await LiveServer.with { live in
      let text = Self.usual.replacing("/live/known?edits=1&room=a", with: address)
      var answers: [[String]] = []
      for pieces in [1, 2, 40] {
        let client = try live.client()
        let size = (text.utf8.count + pieces - 1) / pieces
        for start in stride(from: 0, to: text.utf8.count, by: size) {
          try client.send(Array(text.utf8.dropFirst(start).prefix(size)))
          // The library has the piece by the time that it answers somebody else.
          if pieces > 1 { _ = try live.client().get("/") }
        }
        let response = try client.readResponse()
        var answer = ["\(response.status)", response.text]
        for name in ["sec-websocket-accept", "sec-websocket-protocol", "connection", "upgrade"] {
          answer.append(response.headers[name]?.lowercased() ?? "-")
        }
        if response.status == 101 {
          try client.sendText("hello")
          answer.append(try client.readText())
          answer.append(live.record.events.last { $0.hasPrefix("connect") } ?? "")
          try client.sendFrame(9, [1, 2])
          answer.append("\(try client.readFrame())")
          try client.sendFrame(8, [0x03, 0xE8])
          answer.append("\(try client.readFrame())")
        }
        #expect(try client.isAtEnd())
        answers.append(answer)
      }

      #expect(answers[1] == answers[0] && answers[2] == answers[0])
    }
  }

  /// Beginnings of frames, and whole ones.
  private static let early: [[UInt8]] = [
    [0x81], [0x81, 0x85], Array(ClientSocket.frame(1, Array("hello".utf8)).dropLast()),
    ClientSocket.frame(1, Array("hello".utf8)), ClientSocket.frame(9, [1]),
    ClientSocket.frame(8, [0x03, 0xE8]),
    [0, 0, 0, 0], [UInt8](repeating: 0x81, count: 3_000), [UInt8](repeating: 0x81, count: 20_000),
  ]

  @Test(arguments: early)
  func `end with 1002 if a frame comes in one packet with the handshake`(_ bytes: [UInt8]) async throws {
    try await LiveServer.with { live in
      let client = try live.client()

      try client.send(Array(Self.usual.utf8) + bytes)
      let response = try client.readResponse()
      let end = try client.readFrame()

      #expect(response.status == 101)
      #expect(end.closeCode == 1002)
      #expect(String(decoding: end.payload.dropFirst(2), as: UTF8.self).contains("before the handshake"))
      #expect(!live.record.events.contains { $0.hasPrefix("connect") })
      _ = try live.page()
    }
  }

  @Test func `leave room for another page when a frame came too early`()
    async throws
  {
    try await LiveServer.with({ $0.maxConnections = 1 }) { live in
      for count in 1...3 {
        do {
          let client = try live.client()
          try client.send(Array(Self.usual.utf8) + [0x81])
          #expect(try client.readResponse().status == 101)
          #expect(try client.readFrame().closeCode == 1002)
        }
        while await live.server.statistics()[0].closed < count, !Task.isCancelled { await Task.yield() }
      }

      #expect(try live.client().upgrade("/live/known").status == 101)
    }
  }

  @Test func `may be followed by a handshake on the same socket`() async throws {
    try await LiveServer.with { live in
      let client = try live.client()

      let page = try client.get("/")
      let response = try client.upgrade("/live/known")
      try client.sendText("hello")

      #expect([page.status, response.status] == [200, 101])
      #expect(try client.readText() == "text 5 hello")
    }
  }

  @Test func `are closed after a refused handshake, also if a page came before`() async throws {
    try await LiveServer.with { live in
      let client = try live.client()

      let page = try client.get("/")
      let refused = try client.upgrade("/live/unknown")

      #expect([page.status, refused.status] == [200, 404])
      #expect(refused.headers["connection"] == "close")
      #expect(try client.isAtEnd())
    }
  }

  @Test(arguments: [
    "GET / HTTP/9.9\r\nHost: a\r\n\r\n", "GET /\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost:\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET /live/known HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\nhello",
    "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ])
  func `are refused if their head could be read in two ways`(_ text: String) async throws {
    try await LiveServer.with { live in
      let client = try live.client()

      try client.send(text)
      let response = try client.readResponse()

      #expect(response.status == 400)
      #expect(response.text.hasPrefix("{\"code\":\"bad-request\",\"message\":\""))
      #expect(response.headers["x-content-type-options"] == "nosniff")
      #expect(try client.isAtEnd())
    }
  }

  @Test(arguments: [
    ("Host: b", 400), ("Content-Length: 0", 101), ("Content-Length: 0\r\nContent-Length: 0", 400),
  ])
  func `are refused as handshakes by the same rules`(_ field: String, _ status: Int) async throws {
    try await LiveServer.with { live in
      let response = try live.client().upgrade("/live/known", adding: [field])

      #expect(response.status == status)
    }
  }

  @Test(arguments: [
    ("/healthz%00", nil), ("/healthz%00x", nil), ("/live/known%00", nil), ("/live/known?room=a%00", nil),
    ("/live/known?room=a%00b", nil), ("/%00", 200), ("/%00x", 400), ("/a/%00", 404),
    ("/live/known&", 400), ("/live/known;x", 400), ("/R&D.pdf?a=1", 400), ("/live/a%26b", 404),
    ("http://localhost/", 403), ("http://localhost/healthz", 403), ("https://elsewhere/live/known", 403),
  ])
  func `for odd addresses end as the specification of the wire says`(_ address: String, _ status: Int?)
    async throws
  {
    try await LiveServer.with { live in
      let client = try live.client()

      try client.send("GET \(address) HTTP/1.1\r\nHost: localhost\r\n\r\n")

      if let status {
        #expect(try client.readResponse().status == status)
      } else {
        #expect(try client.isAtEnd())
      }
    }
  }

  @Test func `whose path the library splits tell nothing of earlier ones`() async throws {
    try await LiveServer.with { live in
      let secret = String(repeating: "SECRET", count: 100)
      for _ in 0..<20 {
        _ = try live.client().get("/live/known?room=\(secret)", headers: ["Cookie: \(secret)"])
        let client = try live.client()

        try client.send(
          "GET /live/x\(String(repeating: "&", count: 40)) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let response = try client.readResponse()

        #expect(response.status == 400)
        #expect(response.text.contains("%26"))
        #expect(!response.text.contains("\\u0000") && !response.text.contains("S"))
      }
    }
  }

  @Test(arguments: [
    ("http://localhost/live/known", 404), ("/live/known%00", nil), ("/live/known&", 400),
    ("/live/known;", 400),
  ])
  func `for odd addresses are no handshakes`(_ address: String, _ status: Int?) async throws {
    try await LiveServer.with { live in
      let client = try live.client()

      if let status {
        let response = try client.upgrade(address)
        #expect(response.status == status)
      } else {
        #expect(throws: ClientSocket.Failure.self) { try client.upgrade(address) }
      }
      #expect(!live.record.events.contains { $0.hasPrefix("connect") })
    }
  }

  @Test(arguments: [
    "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", "GET /%00x HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /live/known?room=%zz HTTP/1.1\r\nHost: a\r\n\r\n", "BREW / HTTP/1.1\r\nHost: a\r\n\r\n",
    "\u{0}\u{1}\u{2}\r\n\r\n",
    "GET\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n \r\n\r\n", "GET /x", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{fc}\u{3}\u{3}",
  ])
  func `that the library's parser refuses end, and harm nobody`(_ text: String) async throws {
    try await LiveServer.with({ $0.handshakeTimeout = .seconds(1) }) { live in
      let witness = try live.page()
      let client = try live.client()

      try client.send(text)
      let status = (try? client.readResponse())?.status

      #expect(status == nil || [400, 403, 404].contains(status))
      try witness.sendText("still here")
      #expect(try witness.readText() == "text 10 still here")
    }
  }

  @Test(arguments: ["foo", "h2c", "websocketx", "websocket, foo", "TLS/1.0", "h2c, websocket"])
  func `for another protocol are refused before anything is switched`(_ name: String) async throws {
    try await LiveServer.with { live in
      let client = try live.client()

      let response = try client.upgrade("/live/known", without: ["Upgrade:"], adding: ["Upgrade: \(name)"])

      #expect([400, 403].contains(response.status))
      #expect(!live.record.events.contains { $0.hasPrefix("connect") })
      #expect(try live.client().get("/").status == 200)
    }
  }

  @Test func `that follow each other without waiting are answered in order`() async throws {
    let files = ["large.js": String(repeating: "x", count: 1_000_000), "small.js": "small"]
    try await LiveServer.with(files: files) { live in
      let client = try ClientSocket(port: live.port, receiveBufferBytes: 4_096)
      let requests = ["large.js", "small.js", "large.js", "small.js"]

      try client.send(requests.map { "GET /\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())

      for name in requests {
        let response = try client.readResponse()
        #expect(response.body.count == files[name]?.utf8.count)
      }
    }
  }
}
