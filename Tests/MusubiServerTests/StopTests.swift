// SPDX-License-Identifier: Apache-2.0
import Glibc
import MusubiServer
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `A server that stops` {
  @Test func `tells each page another time to come back`() async throws {
    try await LiveServer.with({ $0.restartSpread = .seconds(60) }) { live in
      let pages = try (0..<32).map { _ in try live.page() }

      let stopped = live.beginStop()
      var delays: Set<Int> = []
      for page in pages {
        var frame = try page.readFrame()
        while frame.opcode != 8 { frame = try page.readFrame() }
        let reason = String(decoding: frame.payload.dropFirst(2), as: UTF8.self)
        delays.insert(Int(reason.prefix { $0.isNumber }) ?? -1)
        try page.sendFrame(8, [0x0F, 0xA2])
      }
      await stopped.value

      #expect(delays.count > 28)
      #expect(delays.allSatisfy { (0..<60_000).contains($0) })
      #expect((delays.max() ?? 0) - (delays.min() ?? 0) > 20_000)
    }
  }

  @Test func `answers the handshake of whom it has accepted, and sends the page away then`() async throws {
    let limits: (inout ServerConfiguration) -> Void = {
      $0.stopGrace = .seconds(3_600)
      $0.stopTimeout = .seconds(3_600)
      $0.handshakeTimeout = .seconds(3_600)
    }
    try await LiveServer.with(limits) { live in
      let late = try live.client()

      let stopped = live.beginStop()
      // The socket is closed once it accepts no more.
      while !Task.isCancelled, (try? live.client()) != nil { await Task.yield() }
      let response = try late.upgrade("/live/known?room=late")
      try late.sendText("hello")
      let first = try late.readText()
      let end = try late.readFrame()
      try late.sendFrame(8, [0x0F, 0xA2])
      await stopped.value

      #expect(response.status == 101)
      #expect(first == "text 5 hello")
      #expect(end.closeCode == 4002)
      #expect(live.record.events.contains("connect late"))
    }
  }

  @Test func `sends a page away only when no loop of it would take that page again`() async throws {
    let limits: (inout ServerConfiguration) -> Void = {
      $0.loops = 2
      $0.restartSpread = .zero
      $0.stopGrace = .seconds(60)
    }
    try await LiveServer.with(limits) { live in
      var pages: [String: ClientSocket] = [:]
      while pages.count < 2 {
        let page = try live.page()
        try page.sendText("loop")
        pages[try page.readText()] = page
      }
      try pages["1"]?.sendText("busy 500")
      while live.record.events.allSatisfy({ $0 != "busy on loop 1" }) { await Task.yield() }

      let stopped = live.beginStop()
      let end = try pages["0"]?.readFrame()

      #expect(end?.closeCode == 4002)
      #expect(throws: ClientSocket.Failure.self) { try live.client() }
      for page in pages.values { try page.sendFrame(8, [0x0F, 0xA2]) }
      await stopped.value
    }
  }

  @Test func `does not wait for those that ask for nothing`() async throws {
    let limits: (inout ServerConfiguration) -> Void = {
      $0.stopGrace = .milliseconds(50)
      $0.stopTimeout = .seconds(3_600)
    }
    try await LiveServer.with(limits) { live in
      let silent = try live.client()
      let idle = try live.client()
      #expect(try idle.get("/healthz").status == 200)

      await live.server.stop()

      #expect(try silent.isAtEnd())
      #expect(try idle.isAtEnd())
    }
  }

  @Test(arguments: [1, 2]) func `leaves whom it has not accepted to the next one`(loops: Int) async throws {
    let listener = try Listener()
    let inherits: (inout ServerConfiguration) -> Void = {
      $0.inheritedSockets = [listener.descriptor]
      $0.loops = loops
      $0.host = "not used"
    }
    var waiting: [ClientSocket] = []
    let ports = try await LiveServer.with(inherits) { live in
      try live.page().sendText("loop")
      return (live.port, live.server.host)
    }
    for _ in 0..<8 { waiting.append(try ClientSocket(port: listener.port)) }

    #expect(ports == (listener.port, "127.0.0.1"))
    try await LiveServer.with(inherits) { live in
      for client in waiting {
        let response = try client.upgrade("/live/known")
        #expect(response.status == 101)
      }
    }
  }

  @Test func `does not start on a descriptor that does not listen`() async throws {
    let pipe = try Descriptors()

    let error = await #expect(throws: ServerError.self) {
      try await LiveServer.with({ $0.inheritedSockets = [pipe.ends[0]] }) { _ in }
    }

    #expect(error?.description.contains("descriptor \(pipe.ends[0])") == true)
  }
}

/// A listening socket that outlives the servers, as systemd's does.
private final class Listener: Sendable {
  let descriptor: Int32
  let port: UInt16

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) + listen(descriptor, 64) + getsockname(descriptor, $0, &length)
      }
    }
    guard result == 0 else { throw ClientSocket.Failure.cannotConnect }
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }
}

/// A pipe.
private final class Descriptors {
  var ends: [Int32] = [0, 0]

  init() throws { guard pipe(&ends) == 0 else { throw ClientSocket.Failure.cannotConnect } }

  deinit { for end in ends { close(end) } }
}
