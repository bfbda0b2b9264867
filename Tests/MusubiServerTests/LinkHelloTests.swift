// SPDX-License-Identifier: Apache-2.0
import Seeds
import Testing

@testable import MusubiServer

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Hellos between nodes` {
  /// A node that knows one other, whose part the test plays.
  private func withNode(_ body: (LinkNode) async throws -> Void) async throws {
    try await LiveServer.with { live in
      let node = try LinkNode(9, on: live)
      node.links.update([LinkPeer(node: 4, address: "127.0.0.1:1", loops: 1, number: 0)])
      await live.turn(of: live.server.loops[0])
      try await body(node)
    }
  }

  @Test func `make a link of a connection`() async throws {
    try await withNode { node in
      let raw = try RawLink(4, to: node)
      let (answer, hellos) = try raw.greet()

      #expect(try raw.prove(hellos))
      try await until { node.record.open.count == 1 }
      try raw.sendFrame([1, 2])
      node.send([[3], []], to: 4)

      #expect(try raw.readFrame() == [3])
      #expect(try raw.readFrame() == [])
      try await until { node.record.frames(4) == [[1, 2]] }
      #expect(answer?.from == 9 && answer?.to == 4 && answer?.loops == 1 && answer?.build == "build of 9")
    }
  }

  @Test func `give no link to who has another secret`() async throws {
    let other = Array("another secret, of somebody else".utf8)
    try await LinkNode.withTwo(secrets: [LinkNode.secret, other]) { first, second in
      try await until { second.live.log.count("link-secret") > 0 && first.live.log.count("link-secret") > 0 }

      #expect(first.record.events.isEmpty && second.record.events.isEmpty)
    }
  }

  @Test func `give no link for a proof that was heard before, nor for one of the other end`() async throws {
    try await withNode { node in
      let raw = try RawLink(4, to: node)
      let heard = try raw.greet().hellos
      #expect(try raw.prove(heard))
      try await until { node.record.events.count == 1 }

      var again = try RawLink(4, to: node)
      again.hello = raw.hello
      _ = try again.greet()
      #expect(throws: ClientSocket.Failure.self) { try again.prove(heard) }
      let mirror = try RawLink(4, to: node)
      let hellos = try mirror.greet().hellos
      try mirror.client.send(LinkHello.proof(connects: false, hellos: hellos, secret: LinkNode.secret))

      #expect(try mirror.client.isAtEnd())
      #expect(node.record.events == ["opened 0-4.0"])
      try await until { node.live.log.contains("link-secret") }
    }
  }

  @Test func `give no link to who listens in a node's place, and cannot prove it`() async throws {
    try await withNode { node in
      let listener = try ListenSocket(host: "127.0.0.1", port: 0, ServerConfiguration())
      node.links.update([
        LinkPeer(node: 12, address: "127.0.0.1:\(listener.port)", loops: 1, number: 0)
      ])
      var accepted: Int32?
      try await until {
        accepted = listener.accept()?.descriptor
        return accepted != nil
      }
      let client = ClientSocket(accepted: accepted ?? -1)
      let head = try client.read(LinkHello.headBytes)
      let rest = try client.read((LinkHello.byteCount(head: head) ?? 0) - head.count)
      var hello = try #require(LinkHello(encoded: head + rest))
      (hello.from, hello.to) = (12, 9)
      try client.send(hello.encoded)
      let proof = try client.read(LinkHello.proofBytes)
      // It says what it has heard.
      try client.send(proof)

      #expect(try client.isAtEnd())
      try await until { node.live.log.contains("link-secret") }
      #expect(node.record.events.isEmpty)
    }
  }

  @Test func `replace a link by a newer one`() async throws {
    try await withNode { node in
      let older = try RawLink(4, to: node)
      #expect(try older.open())
      try await until { node.record.events.count == 1 }

      let newer = try RawLink(4, to: node)
      #expect(try newer.open())
      try await until { node.record.events.count == 3 }
      node.send([[5]], to: 4)

      #expect(try newer.readFrame() == [5])
      #expect(try older.client.isAtEnd())
      #expect(node.record.events == ["opened 0-4.0", "ended 0-4.0", "opened 0-4.0"])
    }
  }

  @Test func `give no link to another version, and say so`() async throws {
    try await withNode { node in
      var raw = try RawLink(4, to: node)
      raw.hello.version = 2
      let (answer, _) = try raw.greet()

      #expect(answer?.from == 9 && answer?.version == 1)
      #expect(try raw.client.isAtEnd())
      try await until { node.live.log.contains("speaks version 2 of links") }
      #expect(node.record.events.isEmpty)
    }
  }

  @Test func `give no link to who means another node, and say who this one is`() async throws {
    try await withNode { node in
      var raw = try RawLink(4, to: node)
      raw.hello.to = 8
      let (answer, _) = try raw.greet()

      #expect(answer?.from == 9)
      #expect(try raw.client.isAtEnd())
      try await until { node.live.log.contains("node 9 is at the address, and node 8 was meant") }
    }
  }

  private static let unknown: [@Sendable (inout LinkHello) -> Void] = [
    { $0.from = 5 }, { $0.loops = 2 }, { $0.fromLoop = 1 }, { $0.toLoop = 1 }, { $0.toLoop = 65_535 },
  ]

  @Test(arguments: unknown.indices) func `give no link to who is not known so`(index: Int) async throws {
    try await withNode { node in
      var raw = try RawLink(4, to: node)
      Self.unknown[index](&raw.hello)

      #expect(throws: ClientSocket.Failure.self) { try raw.greet() }
      try await until { node.live.log.contains("link-unknown") }
    }
  }

  @Test(arguments: [
    Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), [UInt8](repeating: 0, count: 5_000),
    LinkHello.magic + [1, 0, 255, 255], LinkHello.magic + [1, 0, 0, 0],
    LinkHello.magic + [1, 0, 37, 0] + [UInt8](repeating: 0, count: 37),
  ]) func `end garbage at once`(bytes: [UInt8]) async throws {
    try await withNode { node in
      let client = try ClientSocket(port: node.links.port)
      try client.send(bytes)

      #expect(try client.isAtEnd())
      try await until { node.live.log.contains("link-garbage") }
      #expect(try RawLink(4, to: node).open())
    }
  }

  @Test func `end when they take too long, and keep nobody else out`() async throws {
    try await withNode { node in
      let half = try RawLink(4, to: node)
      try half.client.send(Array(half.hello.encoded.prefix(30)))
      let proofless = try RawLink(4, to: node)
      _ = try proofless.greet()
      let silent = try (0..<80).map { _ in try ClientSocket(port: node.links.port) }

      // It waits in the queue until some of the 64 have ended.
      #expect(try RawLink(4, to: node).open())

      #expect(node.live.log.contains("link-late"))
      #expect(try half.client.isAtEnd())
      #expect(try proofless.client.isAtEnd())
      for client in silent { #expect(try client.isAtEnd()) }
      try await until { node.record.events.first == "opened 0-4.0" }
    }
  }

  @Test func `end a link whose frame is too long`() async throws {
    try await withNode { node in
      let raw = try RawLink(4, to: node)
      #expect(try raw.open())
      try raw.client.send([1, 0, 0, 2])

      #expect(try raw.client.isAtEnd())
      try await until { node.record.events.last == "ended 0-4.0" }
      try await until { node.live.log.contains("a frame of 33554433 bytes came") }
    }
  }

  @Test func `read what they wrote, and nothing else`() throws {
    try forSeeds(2_000) { random in
      let hello = LinkHello(
        from: Int64(truncatingIfNeeded: random.next()), to: Int64(truncatingIfNeeded: random.next()),
        fromLoop: random.below(64), toLoop: random.below(64), loops: random.below(65),
        nonce: (0..<16).map { _ in UInt8(random.below(256)) }, build: random.text(8))
      var bytes = hello.encoded
      try hold(LinkHello(encoded: bytes) == hello, "\(hello) came back otherwise")
      try hold(LinkHello(encoded: Array(bytes.dropLast())) == nil, "a shorter one was taken")
      try hold(LinkHello(encoded: bytes + [0]) == nil, "a longer one was taken")
      bytes[random.below(LinkHello.headBytes)] ^= UInt8(1 << random.below(8))
      try hold(LinkHello(encoded: bytes) == nil, "another head was taken")
    }
  }

  @Test func `say a long build no longer than they may`() {
    let hello = LinkHello(
      from: 1, to: 2, fromLoop: 0, toLoop: 0, loops: 1, nonce: [UInt8](repeating: 0, count: 16),
      build: String(repeating: "b", count: 9_000))

    #expect(LinkHello(encoded: hello.encoded)?.build == String(repeating: "b", count: 255))
  }
}
