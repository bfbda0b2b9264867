// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiSession
import Synchronization
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Event loops` {
  @Test func `both of two loops accept on one port`() async throws {
    try await LiveServer.with({ $0.loops = 2 }) { live in
      var seen: Set<String> = []
      for _ in 0..<64 where seen.count < 2 {
        let page = try live.page()
        try page.sendText("loop")
        seen.insert(try page.readText())
      }

      #expect(seen == ["0", "1"])
    }
  }

  @Test func `closures run on the loop's thread, in order`() async throws {
    try await LiveServer.with { live in
      let loop = live.server.loops[0]
      let seen = Mutex<[Int]>([])

      for number in 0..<1_000 {
        loop.enqueue {
          loop.preconditionIsolated()
          seen.withLock { $0.append(number) }
        }
      }
      await live.turn(of: loop)

      #expect(seen.withLock { $0 } == Array(0..<1_000))
      #expect(!loop.isCurrent)
    }
  }

  @Test func `an actor can live on a loop`() async throws {
    try await LiveServer.with { live in
      let counter = LoopCounter(live.server.loops[0])

      for _ in 0..<100 { await counter.increment() }

      #expect(await counter.value == 100)
    }
  }

  @Test func `tasks can prefer a loop`() async throws {
    try await LiveServer.with { live in
      let loop = live.server.loops[0]

      let isThere = await Task(executorPreference: loop) { await onLoop(loop) }.value

      #expect(isThere)
    }
  }

  @Test func `the service is called on the loop's thread`() async throws {
    try await LiveServer.with { live in
      let page = try live.page()

      try page.sendText("isolated")

      #expect(try page.readText() == "yes")
    }
  }

  @Test func `a service's deadline is kept without any traffic`() async throws {
    try await LiveServer.with { live in
      let page = try live.page()

      try page.sendText("alarm 30")

      #expect(try page.readText() == "alarm")
    }
  }

  @Test func `a graceful stop closes with 4002 and refuses new ones`() async throws {
    try await LiveServer.with { live in
      let page = try live.page()
      let port = live.port

      let stopped = live.beginStop()
      let end = try page.readFrame()
      try page.sendFrame(8, [0x0F, 0xA2])
      await stopped.value

      #expect(end.closeCode == 4002)
      #expect(live.record.events.last == "disconnect")
      #expect(throws: (any Error).self) { try ClientSocket(port: port) }
    }
  }

  @Test func `a stop ends in time although a page neither reads nor answers`() async throws {
    let limits: (inout ServerConfiguration) -> Void = {
      $0.stopTimeout = .milliseconds(200)
      $0.closeTimeout = .milliseconds(100)
    }
    try await LiveServer.with(limits) { live in
      let slow = try ClientSocket(port: live.port, receiveBufferBytes: 4_096)
      _ = try slow.upgrade("/live/known")
      let silent = try live.page()
      try slow.sendText("flood 400")
      _ = try live.client()

      await live.server.stop()

      #expect(live.record.events.count { $0 == "disconnect" } == 2)
      withExtendedLifetime((slow, silent)) {}
    }
  }

  @Test func `what comes after the end is dropped, and statistics say so`() async throws {
    let server = try await LiveServer.with { $0.server }

    server.loops[0].enqueue { Issue.record("A loop that has ended runs something.") }

    #expect(await server.statistics().isEmpty)
  }

  @Test func `a taken port is one clear sentence`() async throws {
    try await LiveServer.with { live in
      var configuration = ServerConfiguration()
      configuration.port = live.port
      let site = Site(files: try StaticFiles(root: live.folder.path, routes: []))
      let record = ServiceRecord()
      let second = Server(configuration: configuration, site: site, logger: Logger(level: .error)) {
        CommandService(loop: $0, record: record)
      }

      let error = #expect(throws: ServerError.self) { try second.start() }

      #expect(error?.description.hasPrefix("Port \(live.port) on 127.0.0.1 is taken") == true)
    }
  }
}

/// An actor whose executor is a loop.
actor LoopCounter {
  nonisolated let loop: EventLoop
  private(set) var value = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: EventLoop) { self.loop = loop }

  func increment() {
    loop.preconditionIsolated()
    value += 1
  }
}

@concurrent private func onLoop(_ loop: EventLoop) async -> Bool { loop.isCurrent }

extension LiveServer {
  /// Returns when the loop has done all enqueued work.
  func turn(of loop: EventLoop) async {
    await withCheckedContinuation { continuation in loop.enqueue { continuation.resume() } }
  }

  /// Lets the loop turn until the services have seen what the test waits for.
  func untilEvents(_ isReached: ([String]) -> Bool) async {
    while !isReached(record.events), !Task.isCancelled { await turn(of: server.loops[0]) }
  }
}
