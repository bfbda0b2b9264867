// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
@testable import MusubiServer
import MusubiSession
import Synchronization
import Testing

/// What the routes of a test have seen.
private final class RouteRecord: Sendable {
  private let state = Mutex<[String]>([])

  func note(_ event: String) { state.withLock { $0.append(event) } }

  func count(_ event: String) -> Int { state.withLock { $0.count { $0 == event } } }

  /// Waits until something was noted so often.
  func wait(for event: String, times: Int = 1) async {
    while count(event) < times, !Task.isCancelled { await Task.yield() }
  }
}

/// Routes that do what their paths say.
private func routes(
  _ record: RouteRecord = RouteRecord(), maxBodyBytes: Int = 100_000, timeLimit: Duration = .seconds(60)
) -> @Sendable (HTTPRequest) -> HTTPRouteMatch {
  { request in
    guard request.path.hasPrefix("/r/") else {
      return request.path == "/only-get" && !request.isLooking ? .otherMethod(allow: "GET, HEAD") : .none
    }
    return .route(
      HTTPRoute(maxBodyBytes: maxBodyBytes, timeLimit: timeLimit) { request in
        record.note("asked \(request.path)")
        switch request.path {
        case "/r/echo": return HTTPResponse(status: 200, body: request.body)
        case "/r/large": return HTTPResponse(status: 200, body: [UInt8](repeating: 65, count: 5_000_000))
        case "/r/slow":
          do { try await Task.sleep(for: .seconds(600)) } catch { record.note("cancelled") }
          return .text(200, "slow")
        case "/r/stream":
          var response = HTTPResponse(status: 200, headers: [("Content-Type", "text/plain")])
          response.stream = HTTPStream(length: nil) { send in
            for number in 0..<3 { try await send(Array("piece \(number);".utf8)) }
          }
          return response
        case "/r/steady":
          var response = HTTPResponse(status: 200)
          response.stream = HTTPStream(length: nil) { send in
            for _ in 0..<8 {
              try await Task.sleep(for: timeLimit / 4)
              try await send([67])
            }
          }
          return response
        case "/r/stalling", "/r/silent":
          var response = HTTPResponse(status: 200)
          response.stream = HTTPStream(length: nil) { send in
            if request.path != "/r/silent" { try await send([68]) }
            do { try await Task.sleep(for: .seconds(600)) } catch { record.note("cancelled") }
          }
          return response
        case "/r/endless":
          var response = HTTPResponse(status: 200)
          response.stream = HTTPStream(length: nil) { send in
            do {
              while true {
                try await send([UInt8](repeating: 66, count: 65_536))
                record.note("sent")
              }
            } catch {
              record.note("ended")
              throw error
            }
          }
          return response
        case "/r/short":
          var response = HTTPResponse(status: 200)
          response.stream = HTTPStream(length: 10) { send in try await send([1, 2, 3]) }
          return response
        default:
          return .text(
            200, "\(request.method) \(request.body.count) \(request.headers["content-type"] ?? "-")")
        }
      })
  }
}

extension ClientSocket {
  fileprivate func post(_ path: String, _ body: String, headers: [String] = []) throws -> Response {
    try send(Self.postText(path, body, headers: headers))
    return try readResponse()
  }

  fileprivate static func postText(_ path: String, _ body: String, headers: [String] = []) -> String {
    let fields = (["Host: localhost", "Content-Length: \(body.utf8.count)"] + headers).map { $0 + "\r\n" }
    return "POST \(path) HTTP/1.1\r\n\(fields.joined())\r\n\(body)"
  }

  /// Reads a body of chunks.
  fileprivate func readChunks() throws -> String {
    var text = ""
    while true {
      var line: [UInt8] = []
      while line.suffix(2) != [13, 10] { line += try read(1) }
      guard let count = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16) else {
        throw Failure.malformed("no length")
      }
      text += String(decoding: try read(count), as: UTF8.self)
      _ = try read(2)
      if count == 0 { return text }
    }
  }
}

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Requests that the program answers` {
  @Test func `get their body, and the connection goes on`() async throws {
    try await LiveServer.with(match: routes()) { live in
      let client = try live.client()

      let first = try client.post("/r/x", "a=b", headers: ["Content-Type: application/x-www-form-urlencoded"])
      let empty = try client.post("/r/x", "")
      let second = try client.post("/r/echo", String(repeating: "x", count: 90_000))
      let looked = try client.get("/r/x")
      let page = try client.get("/")
      let third = try client.post("/r/echo", "third")

      #expect(first.status == 200 && first.text == "post 3 application/x-www-form-urlencoded\n")
      #expect(empty.text == "post 0 -\n")
      #expect(second.body.count == 90_000)
      #expect(looked.text == "get 0 -\n")
      #expect(page.text == "<h1>index</h1>")
      #expect(third.text == "third")
      #expect(first.headers["x-content-type-options"] == "nosniff")
    }
  }

  @Test func `get a body that comes in pieces`() async throws {
    try await LiveServer.with(match: routes()) { live in
      let client = try live.client()

      for byte in Array(ClientSocket.postText("/r/echo", "in pieces").utf8) {
        try client.send([byte])
        await Task.yield()
      }
      let response = try client.readResponse()

      #expect(response.text == "in pieces")
    }
  }

  @Test func `are answered in their order if they come at once`() async throws {
    try await LiveServer.with(match: routes()) { live in
      let client = try live.client()
      let get = "GET /r/x HTTP/1.1\r\nHost: localhost\r\n\r\n"
      let page = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
      func post(_ body: String) -> String { ClientSocket.postText("/r/echo", body) }

      try client.send(post("one") + get + page + post("") + get)
      var answers: [String] = []
      for _ in 0..<5 { answers.append(try client.readResponse().text) }

      #expect(answers == ["one", "get 0 -\n", "<h1>index</h1>", "", "get 0 -\n"])
      #expect(try client.post("/r/echo", "later").text == "later")
    }
  }

  @Test(
    arguments: ["POST /r/echo", "POST /", "GET /", "GET /r/x", "PUT /r/x", "POST /nowhere"], ["/", "/r/x"])
  func `are refused with a body that was sent before the answer to another`(
    second: String, first: String
  ) async throws {
    let record = RouteRecord()
    try await LiveServer.with(match: routes(record)) { live in
      let client = try live.client()

      try client.send(
        "GET \(first) HTTP/1.1\r\nHost: a\r\n\r\n\(second) HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12345"
      )
      let answered = try client.readResponse()
      let refused = try client.readResponse()

      #expect(answered.status == 200)
      #expect(refused.status == 503 && refused.headers["connection"] == "close")
      #expect(try client.isAtEnd())
      #expect(record.count("asked /r/echo") == 0)
      #expect(try live.client().post("/r/echo", "x").text == "x")
    }
  }

  @Test func `wait behind one that is not answered yet`() async throws {
    let record = RouteRecord()
    try await LiveServer.with(match: routes(record, timeLimit: .milliseconds(300))) { live in
      let client = try live.client()

      try client.send(
        "GET /r/slow HTTP/1.1\r\nHost: localhost\r\n\r\nGET /r/x HTTP/1.1\r\nHost: localhost\r\n\r\n")
      await record.wait(for: "cancelled")
      let late = try client.readResponse()
      let next = try client.readResponse()

      #expect(late.status == 503 && late.headers["retry-after"] == "10")
      #expect(next.text == "get 0 -\n")
      #expect(record.count("asked /r/slow") == 1)
    }
  }

  @Test func `get no body for HEAD`() async throws {
    try await LiveServer.with(match: routes()) { live in
      let client = try live.client()

      let text = try client.get("/r/x", method: "HEAD")
      let stream = try client.get("/r/endless", method: "HEAD")
      let next = try client.get("/r/x")

      #expect(text.status == 200 && text.headers["content-length"] == "9")
      #expect(stream.status == 200 && stream.headers["transfer-encoding"] == "chunked")
      #expect(next.text == "get 0 -\n")
    }
  }

  @Test func `are refused with a body that is too long, before it is read`() async throws {
    let record = RouteRecord()
    try await LiveServer.with(match: routes(record, maxBodyBytes: 10)) { live in
      let fits = try live.client().post("/r/echo", "0123456789")
      let long = try live.client()
      let tooLong = try long.post("/r/echo", String(repeating: "x", count: 300_000))
      let told = try live.client()
      try told.send(
        "POST /r/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n")

      #expect(fits.text == "0123456789")
      #expect(tooLong.status == 413 && tooLong.text == "This address takes at most 10 bytes.\n")
      #expect(tooLong.headers["connection"] == "close")
      #expect(try long.isAtEnd())
      #expect(try told.readResponse().status == 413)
      #expect(record.count("asked /r/echo") == 1)
    }
  }

  @Test(arguments: [
    ("POST /r/x HTTP/1.1\r\nHost: a\r\n\r\n", 411),
    ("POST /r/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("POST /r/x HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
    ("POST /r/x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", 400),
    ("GET /r/x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", 400),
    ("POST /only-get HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 405),
    ("PUT /r/x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 200),
  ])
  func `are refused if their length can be read in two ways`(text: String, status: Int) async throws {
    try await LiveServer.with(match: routes()) { live in
      let client = try live.client()

      try client.send(text)

      #expect(try client.readResponse().status == status)
    }
  }

  @Test func `change nothing for pages of other sites`() async throws {
    let record = RouteRecord()
    try await LiveServer.with(match: routes(record)) { live in
      func status(_ headers: String...) throws -> Int {
        try live.client().post("/r/echo", "x", headers: headers).status
      }

      #expect(try status("Origin: https://evil.example") == 403)
      #expect(try status("Origin: null") == 403)
      #expect(try status("Sec-Fetch-Site: cross-site") == 403)
      #expect(try status("Sec-Fetch-Site: same-site") == 403)
      #expect(record.count("asked /r/echo") == 0)
      #expect(try status("Origin: http://localhost", "Sec-Fetch-Site: same-origin") == 200)
      #expect(try status("Sec-Fetch-Site: none") == 200)
      #expect(try status() == 200)
      let looked = try live.client().get("/r/x", headers: ["Origin: https://evil.example"])
      #expect(looked.status == 200)
    }
  }

  @Test func `are told to go on where a browser asks before it sends`() async throws {
    try await LiveServer.with(match: routes()) { live in
      let client = try live.client()

      try client.send("POST /r/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
      let goOn = try client.readResponse(hasBody: false)
      try client.send("abc")

      #expect(goOn.status == 100)
      #expect(try client.readResponse().text == "abc")
    }
  }

  @Test func `are given up if the body does not come`() async throws {
    try await LiveServer.with(match: routes(timeLimit: .milliseconds(300))) { live in
      let client = try live.client()

      try client.send("POST /r/echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na")
      let response = try client.readResponse()

      #expect(response.status == 408)
      #expect(try client.isAtEnd())
    }
  }

  @Test func `end when the browser goes`() async throws {
    let record = RouteRecord()
    try await LiveServer.with(match: routes(record)) { live in
      var client: ClientSocket? = try live.client()
      try client?.send("GET /r/slow HTTP/1.1\r\nHost: a\r\n\r\n")
      await record.wait(for: "asked /r/slow")

      client = nil
      await record.wait(for: "cancelled")

      #expect(try live.client().get("/r/x").status == 200)
    }
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"])
  func `end when a browser goes that speaks TLS, and says so`(version: String) async throws {
    let folder = try TemporaryFolder()
    let files = CertificateFiles(certificate: folder.path + "/cert.pem", key: folder.path + "/key.pem")
    _ = try openssl([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
      "-subj", "/CN=localhost", "-out", files.certificate, "-keyout", files.key,
    ])
    let record = RouteRecord()
    try await LiveServer.with({ $0.certificateFiles = files }, match: routes(record)) { live in
      let (client, input) = (Process(), Pipe())
      client.executableURL = URL(filePath: "/usr/bin/openssl")
      client.arguments = ["s_client", "-connect", "127.0.0.1:\(live.port)", version]
      (client.standardInput, client.standardOutput, client.standardError) = (
        input, FileHandle.nullDevice, FileHandle.nullDevice
      )
      try client.run()
      try input.fileHandleForWriting.write(
        contentsOf: Data("GET /r/slow HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      await record.wait(for: "asked /r/slow")

      // It says that it goes, and goes.
      try input.fileHandleForWriting.close()
      await record.wait(for: "cancelled")
      client.waitUntilExit()

      #expect(record.count("cancelled") == 1)
    }
  }

  @Test func `come in large responses to a reader that takes its time`() async throws {
    try await LiveServer.with(match: routes()) { live in
      let client = try ClientSocket(port: live.port, receiveBufferBytes: 4_096)

      let large = try client.get("/r/large")
      let next = try client.get("/r/x")

      #expect(large.body.count == 5_000_000 && large.body.allSatisfy { $0 == 65 })
      #expect(next.text == "get 0 -\n")
    }
  }

  @Test func `come as streams, and the connection goes on`() async throws {
    try await LiveServer.with(match: routes()) { live in
      let client = try live.client()

      for _ in 0..<2 {
        let head = try client.get("/r/stream")
        #expect(head.headers["transfer-encoding"] == "chunked" && head.headers["content-length"] == nil)
        #expect(try client.readChunks() == "piece 0;piece 1;piece 2;")
      }
      let old = try live.client()
      try old.send("GET /r/stream HTTP/1.0\r\n\r\n")
      let head = try old.readResponse(hasBody: false)

      #expect(head.headers["transfer-encoding"] == nil && head.headers["connection"] == "close")
      #expect(try old.read(24) == Array("piece 0;piece 1;piece 2;".utf8))
      #expect(try old.isAtEnd())
    }
  }

  @Test func `are cut where a stream is not what it said`() async throws {
    try await LiveServer.with(match: routes()) { live in
      let client = try live.client()
      try client.send("GET /r/short HTTP/1.1\r\nHost: a\r\n\r\n")

      let head = try client.readResponse(hasBody: false)

      #expect(head.headers["content-length"] == "10")
      #expect(try client.read(3) == [1, 2, 3])
      #expect(try client.isAtEnd())
      #expect(live.log.contains("7 bytes less than its length"))
    }
  }

  @Test func `may take longer than their time for a stream that goes on, and not for one that stands still`()
    async throws
  {
    let record = RouteRecord()
    // Each piece comes after a quarter of the time, all of them after twice as much; no other limit is longer than that.
    func shorten(_ server: inout ServerConfiguration) {
      (server.handshakeTimeout, server.keepAliveTimeout) = (.seconds(3), .seconds(3))
    }
    try await LiveServer.with(shorten, match: routes(record, timeLimit: .seconds(3))) { live in
      let steady = try live.client()
      #expect(try steady.get("/r/steady").headers["transfer-encoding"] == "chunked")
      #expect(try steady.readChunks() == "CCCCCCCC")
      #expect(try steady.get("/r/x").status == 200)
    }
    try await LiveServer.with(match: routes(record, timeLimit: .milliseconds(300))) { live in
      let client = try live.client()
      try client.send("GET /r/stalling HTTP/1.1\r\nHost: a\r\n\r\n")
      await record.wait(for: "cancelled")
      while try !client.isAtEnd() {}
    }
  }

  @Test func `have no other time for the first piece of a stream than for the next ones`() async throws {
    let record = RouteRecord()
    try await LiveServer.with(match: routes(record, timeLimit: .milliseconds(300))) { live in
      let (idle, client) = (try live.client(), try live.client())
      #expect(try idle.get("/r/x").status == 200)
      try client.send("GET /r/silent HTTP/1.1\r\nHost: a\r\n\r\n")
      await record.wait(for: "cancelled")

      #expect(try idle.get("/r/x").status == 200, "it is still there: its 15 seconds are not over")
    }
  }

  @Test func `make no more of a stream than the browser and the kernel take`() async throws {
    let record = RouteRecord()
    try await LiveServer.with(match: routes(record)) { live in
      var client: ClientSocket? = try ClientSocket(port: live.port, receiveBufferBytes: 4_096)
      try client?.send("GET /r/endless HTTP/1.1\r\nHost: a\r\n\r\n")
      await record.wait(for: "sent")
      // Other requests pass while this one waits for its reader.
      for _ in 0..<50 { #expect(try live.client().get("/r/x").status == 200) }
      let whileWaiting = record.count("sent")
      for _ in 0..<50 { #expect(try live.client().get("/r/x").status == 200) }

      #expect(record.count("sent") == whileWaiting, "it stands still")
      #expect(whileWaiting <= 96, "6 MiB are in the buffers of both kernels, or less")
      client = nil
      await record.wait(for: "ended")
    }
  }

  @Test func `are bounded for each peer`() async throws {
    let record = RouteRecord()
    var limits = PeerLimits()
    limits.requests = 1
    limits.requestBytes = 1_000
    let ledger = PeerLedger(limits)
    try await LiveServer.with({ $0.countsLoopback = true }, ledger: ledger, match: routes(record)) { live in
      var waiting: [ClientSocket] = []
      // An address has eight times as much as an identity.
      for number in 1...8 {
        let client = try live.client()
        try client.send("GET /r/slow HTTP/1.1\r\nHost: a\r\n\r\n")
        await record.wait(for: "asked /r/slow", times: number)
        waiting.append(client)
      }
      let refused = try live.client().get("/r/x")
      #expect(refused.status == 429 && refused.headers["retry-after"] == "1")

      waiting = []
      await record.wait(for: "cancelled", times: 8)
      var answer = try live.client().post("/r/x", "x")
      while answer.status == 429 { answer = try live.client().post("/r/x", "x") }
      #expect(answer.status == 200)
      #expect(try live.client().post("/r/x", String(repeating: "x", count: 8_001)).status == 429)
      // The body of before counts until its handler has been let go.
      answer.status = 429
      while answer.status == 429 {
        answer = try live.client().post("/r/x", String(repeating: "x", count: 8_000))
      }
      #expect(answer.status == 200)
    }
  }

  @Test func `are waited for when the server stops`() async throws {
    let record = RouteRecord()
    let gate = AsyncStream.makeStream(of: Void.self)
    let match: @Sendable (HTTPRequest) -> HTTPRouteMatch = { _ in
      .route(
        HTTPRoute(maxBodyBytes: 0, timeLimit: .seconds(60)) { _ in
          record.note("asked")
          for await _ in gate.stream { break }
          return .text(200, "last")
        })
    }
    try await LiveServer.with({ $0.stopTimeout = .seconds(60) }, match: match) { live in
      let client = try live.client()
      try client.send("GET /r/x HTTP/1.1\r\nHost: a\r\n\r\n")
      await record.wait(for: "asked")

      let stop = live.beginStop()
      gate.continuation.yield()
      let response = try client.readResponse()

      #expect(response.text == "last\n" && response.headers["connection"] == "close")
      #expect(try client.isAtEnd())
      await stop.value
    }
  }

  @Test func `do not outlive a stop that has no more time`() async throws {
    let record = RouteRecord()
    try await LiveServer.with({ $0.stopTimeout = .milliseconds(200) }, match: routes(record)) { live in
      let client = try live.client()
      try client.send("GET /r/slow HTTP/1.1\r\nHost: a\r\n\r\n")
      await record.wait(for: "asked /r/slow")

      await live.server.stop()

      await record.wait(for: "cancelled")
      #expect(try client.isAtEnd())
    }
  }

  @Test func `come and are answered through TLS, several on one connection`() async throws {
    let folder = try TemporaryFolder()
    let files = CertificateFiles(certificate: folder.path + "/cert.pem", key: folder.path + "/key.pem")
    _ = try openssl([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
      "-subj", "/CN=localhost", "-out", files.certificate, "-keyout", files.key,
    ])
    try await LiveServer.with({ $0.certificateFiles = files }, match: routes()) { live in
      func address(_ path: String) -> String { "https://127.0.0.1:\(live.port)\(path)" }
      let long = String(repeating: "y", count: 50_000)
      let write = ["--write-out", " %{num_connects};"]
      let next = ["--next", "--silent", "--insecure", "--max-time", "30"] + write

      let text = try output(
        of: "curl",
        ["--silent", "--insecure", "--max-time", "30"] + write + ["--data", "a", address("/r/echo")] + next
          + [address("/")] + next + ["--data-binary", "@-", address("/r/echo")] + next + [
            address("/r/stream")
          ]
          + next + ["--head", "--output", "/dev/null", address("/r/large")] + next
          + ["--data", "b", address("/r/echo")], input: long)
      let large = try output(
        of: "curl",
        ["--silent", "--insecure", "--max-time", "60", "--limit-rate", "20M", address("/r/large")])

      #expect(text == "a 1;<h1>index</h1> 0;\(long) 0;piece 0;piece 1;piece 2; 0; 0;b 0;")
      #expect(large.utf8.count == 5_000_000)
    }
  }
}
