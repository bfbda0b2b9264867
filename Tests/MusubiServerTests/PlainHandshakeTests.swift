// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import Testing

@Suite(.serialized) struct `Handshakes past the library` {
  /// As browsers write it.
  private static let usual = """
    GET /live/known?edits=1&room=caf%C3%A9+a HTTP/1.1
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

  @Test func `are read as browsers write them`() throws {
    let request = try #require(Self.request(Self.usual))

    #expect(request.path == "/live/known")
    #expect(request.query == ["edits": "1", "room": "café a"])
    #expect(request.isHTTP11 && request.isAddressUTF8)
    #expect(request.headers["host"] == "localhost:8080")
    #expect(request.headers["connection"] == "keep-alive, Upgrade")
    #expect(request.headers["sec-websocket-key"] == "dGhlIHNhbXBsZSBub25jZQ==")
    #expect(request.headers["accept-language"] == "fr-CH, fr;q=0.9")
    #expect(request.headers["sec-websocket-extensions"] == nil)
  }

  @Test(arguments: [
    ("GET /live", "POST /live"), ("HTTP/1.1", "HTTP/1.0"), ("HTTP/1.1\r\n", "HTTP/1.1\n"),
    ("GET /live", "GET  /live"),
    ("GET /live", "GET live"), ("/live/known", "/live//known"), ("/live/known", "/live/../known"),
    ("/live/known", "/live/kno%77n"), ("/live/known", "/live/kno+wn"), ("/live/known", "/live/kno;wn"),
    ("room=", "ro%6Fm="), ("room=", "=room"), ("&room", "&&room"), ("&room", ";room"), ("&room", "?room"),
    ("%C3%A9", "%C3"), ("%C3%A9", "%C"), ("%C3%A9", "%zz"), ("%C3%A9", "%00"), ("%C3%A9", "\u{e9}"),
    ("Host:", "Host :"), ("Host:", " Host:"), ("Host:", ":"), ("Host: localhost:8080\r\n", "Host\r\n"),
    ("Host: ", "Host: \t"), ("Host: localhost", "Host: loc\u{0}alhost"), ("8080\r\n", "8080\n"),
    ("Origin", "Host"), ("Upgrade: websocket", "Upgrade: h2c"), ("Upgrade: websocket", "Upgrades: websocket"),
    ("Origin", "Content-Length"), ("Origin", "Transfer-Encoding"),
    ("Origin: http://localhost", "Origin: a\r b"),
    ("\r\n\r\n", "\r\n"), ("\r\n\r\n", "\r\n\r\n\u{1}"),
  ])
  func `leave everything else to the library`(_ usual: String, _ other: String) {
    let text = Self.usual.replacing(usual, with: other)

    #expect(text != Self.usual)
    #expect(Self.request(text) == nil)
  }

  @Test func `are not read before they are whole`() {
    let bytes = Array(Self.usual.utf8)

    for count in 0..<bytes.count { #expect(Self.request(bytes[..<count]) == nil) }
  }

  @Test(arguments: [
    "/live/known?room=a%20b+c/d=e&x", "/live/known?room=%E7%B5%90&room=2", "/live/known", "/live/known?room",
    "/live/unknown", "/elsewhere?room=a", "/live/known?room=%2541",
  ])
  func `have the answer that the library gives to the same bytes in two pieces`(_ address: String)
    async throws
  {
    try await LiveServer.with { live in
      var answers: [[String]] = []
      for isWhole in [true, false] {
        let client = try live.client()
        let text = Self.usual.replacing("/live/known?edits=1&room=caf%C3%A9+a", with: address)
        let middle = text.utf8.index(text.startIndex, offsetBy: isWhole ? text.utf8.count : 30)
        try client.send(String(text[..<middle]))
        if !isWhole {
          // The library has the first piece by the time that it answers somebody else.
          _ = try live.client().get("/")
          try client.send(String(text[middle...]))
        }
        let response = try client.readResponse()
        var answer = [
          "\(response.status)", response.text, live.record.events.last { $0.hasPrefix("connect") } ?? "",
        ]
        for name in ["sec-websocket-accept", "sec-websocket-protocol", "connection", "upgrade"] {
          answer.append(response.headers[name]?.lowercased() ?? "-")
        }
        if response.status == 101 {
          try client.sendText("hello")
          answer.append(try client.readText())
          try client.sendFrame(9, [1, 2])
          answer.append("\(try client.readFrame())")
          try client.sendFrame(8, [0x03, 0xE8])
          answer.append("\(try client.readFrame())")
        }
        #expect(try client.isAtEnd())
        answers.append(answer)
      }

      #expect(answers[0] == answers[1])
    }
  }

  @Test func `may follow a plain request on the same socket`() async throws {
    try await LiveServer.with { live in
      let client = try live.client()

      let page = try client.get("/")
      let response = try client.upgrade("/live/known")
      try client.sendText("hello")

      #expect([page.status, response.status] == [200, 101])
      #expect(try client.readText() == "text 5 hello")
    }
  }

  private static func request(_ text: String) -> HTTPRequest? { request(Array(text.utf8)[...]) }

  private static func request(_ bytes: ArraySlice<UInt8>) -> HTTPRequest? {
    bytes.withUnsafeBytes { HTTPRequest(handshake: $0, remoteAddress: "127.0.0.1") }
  }
}
