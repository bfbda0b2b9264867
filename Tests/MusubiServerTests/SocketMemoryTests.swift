// SPDX-License-Identifier: Apache-2.0
@testable import MusubiServer
import MusubiSession
import Synchronization
import Testing

/// Routes whose answers are as their paths say.
private let match: @Sendable (HTTPRequest) -> HTTPRouteMatch = { request in
  guard request.path.hasPrefix("/r/") else { return .none }
  return .route(
    HTTPRoute(maxBodyBytes: 200_000, timeLimit: .seconds(60)) { request in
      switch request.path {
      case "/r/large": return HTTPResponse(status: 200, body: [UInt8](repeating: 65, count: 4 << 20))
      case "/r/deaf":
        // It goes on although nobody waits.
        _ = await Task { try? await Task.sleep(for: .seconds(2)) }.value
        return .text(200, "\(request.body.count)")
      case "/r/endless":
        var response = HTTPResponse(status: 200)
        response.stream = HTTPStream(length: nil) { send in
          while true { try await send([UInt8](repeating: 66, count: 65_536)) }
        }
        return response
      default: return .text(200, "\(request.body.count)")
      }
    })
}

@Suite(.serialized, .timeLimit(.minutes(5))) struct `What sockets take of the memory` {
  private let ledger = PeerLedger()

  /// A server with a budget, and a bystander of another address than the visitors'.
  private func serve(
    megabytes: Int, trusts: Bool = false,
    _ body: (LiveServer, Bystander) async throws -> Void
  ) async throws {
    let change: (inout ServerConfiguration) -> Void = {
      $0.countsLoopback = true
      if trusts, let network = IPNetwork("127.0.0.0/8") { $0.trustedProxies = TrustedProxies([network]) }
    }
    let large = String(repeating: "x", count: 4 << 20)
    try await LiveServer.with(
      change, files: ["large.txt": large], ledger: ledger, memory: megabytes << 20, match: match
    ) { live in
      try await body(live, Bystander(page: try live.page()))
    }
  }

  /// Asks for the counted bytes.
  private struct Bystander {
    let page: ClientSocket

    var bytes: Int {
      get throws {
        try page.sendText("bytes")
        return Int(try page.readText()) ?? -1
      }
    }

    /// Waits until no more than its own bytes are left.
    func waitForRest() async throws { while try bytes > 2_000, !Task.isCancelled { await Task.yield() } }
  }

  private func visitor(_ live: LiveServer) throws -> ClientSocket {
    try ClientSocket(port: live.port, receiveBufferBytes: 4_096, from: 2)
  }

  private var refusals: Int { ledger.refusals.counts["too-much-memory"] ?? 0 }

  @Test func `is their address's from the first byte on, and at most a quarter`() async throws {
    try await serve(megabytes: 4) { live, bystander in
      #expect(try bystander.bytes == 2_000)
      var sockets: [ClientSocket] = []
      for _ in 0..<80 {
        let socket = try visitor(live)
        try? socket.send("GET / HTTP/1.1\r\nAccept: ")
        sockets.append(socket)
      }

      while refusals < 80 - 57, !Task.isCancelled { await Task.yield() }
      let bytes = try bystander.bytes - 2_000
      // 57 heads with their connections are a quarter.
      #expect(bytes <= 1 << 20 && bytes > (1 << 20) - 20_000)
      #expect(refusals == 80 - 57)
      #expect(live.log.contains("refused reason=too-much-memory address=127.0.0.2 peer=a:127.0.0.2"))
      #expect(try sockets[79].isAtEnd())
      #expect(try live.client().get("/").status == 200)
      try sockets[0].send("x\r\nHost: a\r\n\r\n")
      let answer = try sockets[0].readResponse()
      #expect(answer.status == 200, "\(answer.text)")
      sockets = []
      try await bystander.waitForRest()
      #expect(try visitor(live).get("/").status == 200)
    }
  }

  @Test func `with answers that nobody reads is at most a quarter, and more is refused`() async throws {
    try await serve(megabytes: 4) { live, bystander in
      func ask() throws -> ClientSocket {
        let socket = try visitor(live)
        try socket.send("GET /large.txt HTTP/1.1\r\nHost: a\r\n\r\n")
        return socket
      }
      var unread = try (0..<12).map { _ in try ask() }
      while try bystander.bytes < 12 * 80_000, !Task.isCancelled { await Task.yield() }

      let refused = try ask().readResponse()
      #expect(refused.status == 503 && refused.headers["retry-after"] == "10")
      #expect(refused.text == "There is no memory for one more request from here; come back later.\n")
      #expect(try bystander.bytes <= 1 << 20 && refusals == 1)
      #expect(try visitor(live).get("/large.txt", method: "HEAD").status == 200)
      #expect(try live.client().get("/large.txt").body.count == 4 << 20)
      #expect(try unread[0].readResponse().body.count == 4 << 20)
      unread = []
      try await bystander.waitForRest()
    }
  }

  @Test func `behind a proxy is that of the visitor whose request it answers`() async throws {
    try await serve(megabytes: 4, trusts: true) { live, bystander in
      func ask(_ visitor: String) throws -> ClientSocket {
        let socket = try self.visitor(live)
        try socket.send("GET /large.txt HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(visitor)\r\n\r\n")
        return socket
      }
      var unread = try (0..<12).map { _ in try ask("192.0.2.1") }
      while try bystander.bytes < 12 * 80_000, !Task.isCancelled { await Task.yield() }

      #expect(try ask("192.0.2.1").readResponse().status == 503)
      let other = try ask("192.0.2.2")
      #expect(try other.readResponse().body.count == 4 << 20)
      #expect(try other.get("/").status == 200 && unread.count == 12)
      unread = []
      withExtendedLifetime(other) {}
      while try bystander.bytes > 2_000 + 18_384, !Task.isCancelled { await Task.yield() }
    }
  }

  @Test func `has the bodies of requests, until nobody works on them any more`() async throws {
    try await serve(megabytes: 4) { live, bystander in
      func post(_ path: String, _ body: String) throws -> ClientSocket {
        let socket = try visitor(live)
        try socket.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 150000\r\n\r\n\(body)")
        return socket
      }
      var waiting = try (0..<6).map { _ in try post("/r/x", "half") }
      while try bystander.bytes < 6 * 160_000, !Task.isCancelled { await Task.yield() }

      #expect(try post("/r/x", "half").readResponse().status == 503)
      #expect(try bystander.bytes <= 1 << 20 && waiting.count == 6)
      waiting = []
      try await bystander.waitForRest()
    }
  }

  @Test func `has bodies that a program works on after their visitor has gone`() async throws {
    try await serve(megabytes: 4) { live, bystander in
      do {
        let body = String(repeating: "x", count: 150_000)
        let socket = try visitor(live)
        try socket.send("POST /r/deaf HTTP/1.1\r\nHost: a\r\nContent-Length: 150000\r\n\r\n\(body)")
        while try bystander.bytes < 150_000, !Task.isCancelled { await Task.yield() }
      }
      while try bystander.bytes > 2_000 + 150_000, !Task.isCancelled { await Task.yield() }

      #expect(try bystander.bytes == 2_000 + 150_000)
      try await bystander.waitForRest()
    }
  }

  @Test func `has what programs answer: too much is refused, what nobody reads ends`() async throws {
    try await serve(megabytes: 40) { live, bystander in
      func ask(_ path: String) throws -> ClientSocket {
        let socket = try visitor(live)
        try socket.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
        return socket
      }
      var unread: [ClientSocket] = []
      for number in 1...2 {
        unread.append(try ask("/r/large"))
        while try bystander.bytes < number << 22, !Task.isCancelled { await Task.yield() }
      }
      #expect(try ask("/r/large").readResponse().status == 503)
      #expect(try live.client().get("/r/large").body.count == 4 << 20)

      for _ in 0..<30 { unread.append(try ask("/r/endless")) }
      while refusals < 10, !Task.isCancelled { await Task.yield() }

      #expect(try bystander.bytes <= 10 << 20)
      unread = []
      try await bystander.waitForRest()
    }
  }
}
