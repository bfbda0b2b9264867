// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiServer
import Synchronization
import Testing

@testable import Musubi

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Requests that wait until a test lets them go on.
private final class Gate: Sendable {
  private let state = Mutex((isOpen: false, waiting: 0))

  var waiting: Int { state.withLock { $0.waiting } }

  func open() { state.withLock { $0.isOpen = true } }

  func pass() async throws {
    state.withLock { $0.waiting += 1 }
    defer { state.withLock { $0.waiting -= 1 } }
    while !state.withLock({ $0.isOpen }) { try await Task.sleep(for: .milliseconds(2)) }
  }

  /// Waits until so many requests wait.
  func wait(for count: Int) async throws {
    while waiting < count { try await Task.sleep(for: .milliseconds(2)) }
  }
}

/// An application on a free port, for the length of one test.
private struct LiveApplication {
  let address: String
  private let session: URLSession

  static func with(
    _ add: (inout Application) -> Void, _ body: (LiveApplication) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "musubi-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var application = Application()
    application.configuration.port = 0
    application.configuration.loops = 1
    application.configuration.publicFolder = folder.path
    application.configuration.logLevel = .error
    add(&application)
    let server = try application.start()
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(LiveApplication(address: server.address))) } catch {
      outcome = .failure(error)
    }
    await server.stop()
    try FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  private init(address: String) {
    self.address = address
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 64
    session = URLSession(configuration: configuration)
  }

  func get(_ path: String, _ headers: [String: String] = [:]) async throws -> HTTPURLResponse {
    var request = URLRequest(url: try #require(URL(string: address + path)))
    request.httpShouldHandleCookies = false
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    return try #require(try await session.data(for: request).1 as? HTTPURLResponse)
  }
}

@Suite(.timeLimit(.minutes(5))) struct `Routes of a running server` {
  /// The header fields of somebody's request that comes through a proxy.
  private func headers(_ who: String, from address: String) -> [String: String] {
    ["Cookie": "who=\(who)", "X-Forwarded-For": address]
  }

  @Test func `count what is under way for who somebody is, and for the address`() async throws {
    let gate = Gate()
    try await LiveApplication.with { application in
      application.configuration.trustedProxies = ["127.0.0.1/32"]
      application.configuration.maxRequestsPerPeer = 2
      application.identifyVisitors { Visitor(id: $0.cookies["who"]) }
      application.get("/slow") { _ in
        try await gate.pass()
        return .text("slow")
      }
      application.get("/quick") { _ in .text("quick") }
    } _: { live in
      func quick(_ who: String, from address: String) async throws -> HTTPURLResponse {
        try await live.get("/quick", headers(who, from: address))
      }
      let (house, elsewhere) = ("192.0.2.1", "192.0.2.2")
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 1...2 {
          group.addTask { try await live.get("/slow", self.headers("ann", from: house)).statusCode }
        }
        try await gate.wait(for: 2)
        let refused = try await quick("ann", from: house)
        #expect(refused.statusCode == 429 && refused.value(forHTTPHeaderField: "Retry-After") == "1")
        #expect(try await quick("ann", from: elsewhere).statusCode == 429, "It is the same person.")
        #expect(try await quick("bob", from: house).statusCode == 200)

        // An address may have eight times as many, of whomever.
        for number in 0..<14 {
          group.addTask {
            try await live.get("/slow", self.headers("guest\(number / 2)", from: house)).statusCode
          }
        }
        try await gate.wait(for: 16)
        #expect(try await quick("bob", from: house).statusCode == 429)
        #expect(try await quick("bob", from: elsewhere).statusCode == 200)

        gate.open()
        #expect(try await group.reduce(into: []) { $0.append($1) } == Array(repeating: 200, count: 16))
      }
      var last = 429
      while last == 429 { last = try await quick("ann", from: house).statusCode }
      #expect(last == 200)
    }
  }

  @Test func `do what follows when the response was sent, and hold up nobody by it`() async throws {
    let (stream, later) = (Gate(), Gate())
    try await LiveApplication.with { application in
      application.configuration.trustedProxies = ["127.0.0.1/32"]
      application.configuration.maxRequestsPerPeer = 1
      application.identifyVisitors { Visitor(id: $0.cookies["who"]) }
      application.get("/stream") { _ in
        var response = Response.stream("text/plain") { writer in
          try await writer.write("half")
          try await stream.pass()
        }
        response.afterwards { try? await later.pass() }
        return response
      }
      application.get("/quick") { _ in .text("quick") }
    } _: { live in
      async let response = live.get("/stream", self.headers("ann", from: "192.0.2.1"))
      try await stream.wait(for: 1)
      #expect(later.waiting == 0, "Half of the response is on its way.")
      stream.open()
      #expect(try await response.statusCode == 200)
      try await later.wait(for: 1)
      func quick() async throws -> Int {
        try await live.get("/quick", self.headers("ann", from: "192.0.2.1")).statusCode
      }
      #expect(try await quick() == 429, "It counts until it is done.")
      later.open()
      while try await quick() == 429 { try await Task.sleep(for: .milliseconds(2)) }
    }
  }

  @Test(arguments: ["/gone", "/late", "/wrong"])
  func `do what follows although the response cannot be sent`(path: String) async throws {
    let (answer, later) = (Gate(), Gate())
    try await LiveApplication.with { application in
      func response(_ headers: [String: String] = [:]) -> Response {
        var response = Response(headers: headers)
        response.afterwards { try? await later.pass() }
        return response
      }
      let (sent, unsent) = (response(), response(["Content-Length": "7"]))
      application.get("/gone") { _ in
        // Not cancelled with the request.
        await Task { try? await answer.pass() }.value
        return sent
      }
      application.get("/late", timeLimit: .milliseconds(10)) { _ in
        await Task { try? await answer.pass() }.value
        return sent
      }
      application.get("/wrong") { _ in unsent }
    } _: { live in
      switch path {
      case "/gone":
        let asking = Task { try await live.get(path) }
        try await answer.wait(for: 1)
        asking.cancel()
        await #expect(throws: (any Error).self) { try await asking.value }
      case "/late": #expect(try await live.get(path).statusCode == 503)
      default: #expect(try await live.get(path).statusCode == 500)
      }
      answer.open()
      try await later.wait(for: 1)
      later.open()
    }
  }

  @Test func `cancel what follows when it takes longer than the route may`() async throws {
    let later = Gate()
    try await LiveApplication.with { application in
      application.get("/", timeLimit: .milliseconds(50)) { _ in
        var response = Response.text("")
        response.afterwards { try? await later.pass() }
        return response
      }
    } _: { live in
      // It may be late itself, if the machine is busy.
      _ = try await live.get("/")
      try await later.wait(for: 1)
      while later.waiting > 0 { try await Task.sleep(for: .milliseconds(2)) }
    }
  }

  @Test(arguments: [true, false])
  func `read what a proxy says of its user from a trusted one alone`(isTrusted: Bool) async throws {
    try await LiveApplication.with { application in
      if isTrusted { application.configuration.trustedProxies = ["127.0.0.1/32"] }
      application.get("/who") { request in
        Response(headers: ["who": "\(request.proxyUser() ?? "-") \(request.proxyUser("remote-user") ?? "-")"])
      }
    } _: { live in
      let response = try await live.get("/who", ["X-Forwarded-User": "ann", "Remote-User": "bob"])
      #expect(response.value(forHTTPHeaderField: "who") == (isTrusted ? "ann bob" : "- -"))
    }
  }

  @Test(arguments: [
    ("X-Forwarded-Proto", "https", true), ("Forwarded", "for=192.0.2.1;proto=https", true),
    ("X-Forwarded-Proto", "http", false), ("Forwarded", "for=192.0.2.1;proto=http", false),
    ("X-Forwarded-Proto", "https, http", false), ("X-Forwarded-For", "192.0.2.1", false),
  ])
  func `say Secure of a sealed cookie where a trusted proxy has TLS`(
    name: String, value: String, isSecure: Bool
  ) async throws {
    for isTrusted in [true, false] {
      try await LiveApplication.with { application in
        if isTrusted { application.configuration.trustedProxies = ["127.0.0.1/32"] }
        application.get("/cookie") { [secrets = application.secrets] _ in
          var response = Response.text("")
          response.setCookie("login", try secrets.seal("ann", for: "login", validFor: .seconds(60)))
          return response
        }
      } _: { live in
        let response = try await live.get("/cookie", [name: value])
        let cookie = try #require(response.value(forHTTPHeaderField: "Set-Cookie"))
        #expect(cookie.contains("; Secure") == (isSecure && isTrusted), "trusted: \(isTrusted)")
        #expect(cookie.contains("; SameSite=Lax; HttpOnly"))
      }
    }
  }
}
