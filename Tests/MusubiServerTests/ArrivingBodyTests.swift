// SPDX-License-Identifier: Apache-2.0
@testable import MusubiServer
import MusubiSession
import Testing

/// A route that reads while the body arrives, as its path says.
private func routes(
  _ record: LineCollector, timeLimit: Duration = .seconds(60)
) -> @Sendable (HTTPRequest) -> HTTPRouteMatch {
  { request in
    guard request.path.hasPrefix("/r/") else { return .none }
    return .route(
      HTTPRoute(maxBodyBytes: 64 << 20, timeLimit: timeLimit, readsWhileArriving: true) { request in
        record.add("asked")
        guard request.path != "/r/early" else { return .text(409, "no more of it") }
        var hash = Cryptography.SHA256()
        var count = 0
        var most = 0
        do {
          while let piece = try await request.arriving?.next() {
            hash.add(piece)
            count += piece.count
            most = max(most, piece.count)
            record.add("has \(count)")
            if request.path == "/r/slow" { try await Task.sleep(for: .milliseconds(1)) }
          }
        } catch {
          record.add("ended")
          return .text(500, "ended")
        }
        let digits = hash.hash().map { String($0, radix: 16) }.joined()
        return .text(200, "\(count) \(most <= ArrivingBody.maxBytes + (17 << 10)) \(digits)")
      })
  }
}

private func head(_ path: String, _ count: Int, method: String = "PATCH") -> String {
  "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(count)\r\n\r\n"
}

private func digits(_ bytes: [UInt8]) -> String {
  Cryptography.sha256(bytes).map { String($0, radix: 16) }.joined()
}

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Bodies that are read while they arrive` {
  @Test func `reach the program piece by piece, and the connection goes on`() async throws {
    let record = LineCollector()
    try await LiveServer.with(match: routes(record)) { live in
      let client = try live.client()
      try client.send(head("/r/x", 10) + "first")
      while !record.contains("has 5"), !Task.isCancelled { await Task.yield() }
      try client.send("-last")
      let first = try client.readResponse()
      try client.send(head("/r/x", 0))
      let empty = try client.readResponse()
      try client.send(head("/r/x", 3, method: "POST") + "tea")
      let third = try client.readResponse()

      #expect(first.text == "10 true \(digits(Array("first-last".utf8)))\n")
      #expect(empty.text == "0 true \(digits([]))\n")
      #expect(third.text == "3 true \(digits(Array("tea".utf8)))\n")
    }
  }

  @Test func `wait in the browser while the program is busy`() async throws {
    try await LiveServer.with(match: routes(LineCollector())) { live in
      let client = try live.client()
      let body = (0..<(2 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 7) }
      try client.send(Array(head("/r/slow", body.count).utf8) + body)
      let response = try client.readResponse()

      #expect(response.text == "\(body.count) true \(digits(body))\n")
    }
  }

  @Test func `are answered before their end, and nothing follows`() async throws {
    let record = LineCollector()
    try await LiveServer.with(match: routes(record)) { live in
      let client = try live.client()
      try client.send(head("/r/early", 1_000) + "some")
      let response = try client.readResponse()

      #expect(response.status == 409)
      #expect(response.headers["connection"] == "close")
    }
  }

  @Test func `end for the program when the browser goes`() async throws {
    let record = LineCollector()
    try await LiveServer.with(match: routes(record)) { live in
      do {
        let client = try live.client()
        try client.send(head("/r/x", 1_000) + "some")
        while !record.contains("has 4"), !Task.isCancelled { await Task.yield() }
      }
      while !record.contains("ended"), !Task.isCancelled { await Task.yield() }
      #expect(record.count("asked") == 1)
    }
  }

  @Test func `do not hold a server that stops`() async throws {
    let record = LineCollector()
    try await LiveServer.with({ $0.stopTimeout = .seconds(3_600) }, match: routes(record)) { live in
      let client = try live.client()
      try client.send(head("/r/x", 1_000) + "some")
      while !record.contains("has 4"), !Task.isCancelled { await Task.yield() }
      await live.beginStop().value

      #expect(try client.isAtEnd())
      while !record.contains("ended"), !Task.isCancelled { await Task.yield() }
    }
  }

  @Test func `have to go on`() async throws {
    let record = LineCollector()
    try await LiveServer.with(match: routes(record, timeLimit: .milliseconds(200))) { live in
      let client = try live.client()
      try client.send(head("/r/x", 1_000) + "some")
      let response = try client.readResponse()
      while !record.contains("ended"), !Task.isCancelled { await Task.yield() }

      #expect(response.status == 408)
    }
  }

  @Test func `need a length, and bring no more than the route takes`() async throws {
    let record = LineCollector()
    try await LiveServer.with(match: routes(record)) { live in
      let unknown = try live.client()
      try unknown.send("PATCH /r/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let long = try live.client()
      try long.send(head("/r/x", 64 << 20 + 1))
      let deletes = try live.client()
      try deletes.send(head("/r/x", 3, method: "DELETE") + "tea")
      let foreign = try live.client()
      try foreign.send("DELETE /r/x HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.org\r\n\r\n")

      #expect(try unknown.readResponse().status == 411)
      #expect(try long.readResponse().status == 413)
      #expect(try deletes.readResponse().status == 400)
      #expect(try foreign.readResponse().status == 403)
      #expect(!record.contains("asked"))
    }
  }
}
