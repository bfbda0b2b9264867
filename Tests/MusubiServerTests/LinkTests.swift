// SPDX-License-Identifier: Apache-2.0
import Seeds
import Testing

@testable import MusubiServer

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Links between nodes` {
  private typealias Link = LinkRecord.Link

  @Test(arguments: [(1, 2), (2, 1)])
  func `connect each loop with each loop, whoever has the lower incarnation`(
    one: Int64, other: Int64
  ) async throws {
    try await LinkNode.withTwo(one, other, loops: 2) { first, second in
      let all = [0, 1].flatMap { loop in [0, 1].map { (loop, $0) } }
      func links(to node: Int64) -> Set<Link> {
        Set(all.map { Link(loop: $0.0, node: node, otherLoop: $0.1) })
      }
      try await until { first.record.open.count == 4 && second.record.open.count == 4 }
      for (loop, otherLoop) in all {
        first.send([[1, UInt8(loop), UInt8(otherLoop)]], from: loop, to: other, otherLoop)
        second.send([[2, UInt8(loop), UInt8(otherLoop)]], from: loop, to: one, otherLoop)
      }

      for (loop, otherLoop) in all {
        try await until { !second.record.frames(loop: otherLoop, one, loop).isEmpty }
        try await until { !first.record.frames(loop: otherLoop, other, loop).isEmpty }
        #expect(second.record.frames(loop: otherLoop, one, loop) == [[1, UInt8(loop), UInt8(otherLoop)]])
        #expect(first.record.frames(loop: otherLoop, other, loop) == [[2, UInt8(loop), UInt8(otherLoop)]])
      }
      #expect(first.record.open == links(to: other))
      #expect(second.record.open == links(to: one))
      #expect(first.record.peers.allSatisfy { $0 == second.peer(number: 7) })
      #expect(second.record.peers.allSatisfy { $0 == first.peer(number: 3) })
      #expect(first.live.log.contains("build of \(other)") && second.live.log.contains("build of \(one)"))
    }
  }

  @Test func `carry 10,000 frames in order, both ways at once`() async throws {
    try await LinkNode.withTwo { first, second in
      try await until { first.record.open.count == 1 && second.record.open.count == 1 }
      var random = SeededRandom(seed: 19)
      func frames() -> [[UInt8]] {
        (0..<10_000).map { number in
          [UInt8(number & 255), UInt8(number >> 8)]
            + [UInt8](
              repeating: UInt8(random.below(256)), count: random.below(random.below(200) == 0 ? 9_000 : 90))
        }
      }
      let (there, back) = (frames(), frames())

      for start in stride(from: 0, to: 10_000, by: 250) {
        first.send(Array(there[start..<start + 250]), to: 2)
        second.send(Array(back[start..<start + 250]), to: 1)
      }
      try await until { second.record.frames(1).count >= 10_000 && first.record.frames(2).count >= 10_000 }

      #expect(second.record.frames(1) == there)
      #expect(first.record.frames(2) == back)
    }
  }

  @Test func `carry large frames in pieces, and empty ones`() async throws {
    try await LinkNode.withTwo { first, second in
      try await until { first.record.open.count == 1 && second.record.open.count == 1 }
      var random = SeededRandom(seed: 20)
      let frames = [0, 1, 3_000_000, 0, 20_000_000, 65_532, 65_536, 5].map { count in
        [UInt8](repeating: UInt8(random.below(256)), count: count)
      }

      first.send(frames, to: 2)
      try await until { second.record.frames(1).count == frames.count }

      #expect(second.record.frames(1) == frames)
      // They waited in between, and no more.
      #expect(first.record.events == ["opened 0-2.0", "full 0-2.0", "flowing 0-2.0"])
    }
  }

  @Test func `tell a node that the others do not have it any more, and not one whose links end`() async throws
  {
    try await LinkNode.withTwo(loops: 2) { first, second in
      try await until { first.record.open.count == 4 && second.record.open.count == 4 }
      let frame = [UInt8](repeating: 7, count: 100)
      first.send([frame], to: 2)

      first.links.update([])
      try await until { second.record.open.isEmpty }
      #expect(second.record.frames(1) == [frame])
      #expect(second.record.events.contains("buried"))
      first.links.update([second.peer(number: 9)])
      try await until { first.record.open.count == 4 && second.record.open.count == 4 }
      first.links.stop()
      try await until { second.record.open.isEmpty }
      #expect(second.record.events.count { $0 == "buried" } == 4, "Each link has told it once.")
    }
  }

  @Test func `take the longest frame, and none that is longer`() async throws {
    try await LinkNode.withTwo { first, second in
      try await until { first.record.open.count == 1 && second.record.open.count == 1 }
      let longest = [UInt8](repeating: 7, count: NodeLink.mostBytes)

      first.send([longest], to: 2)
      try await until { second.record.frames(1).count == 1 }
      #expect(second.record.frames(1) == [longest])
      first.send([longest + [7]], to: 2)
      try await until { first.record.events.contains("ended 0-2.0") }

      #expect(second.record.frames(1).count == 1)
    }
  }

  @Test func `tell that a peer does not read, and that it does again`() async throws {
    try await LinkNode.withTwo { first, second in
      try await until { first.record.open.count == 1 && second.record.open.count == 1 }
      let hold = second.hold()
      let sent = (0..<160).map { [UInt8](repeating: $0, count: 100_000) }
      first.send(sent, to: 2)
      try await until { first.record.events.count == 2 }
      let events = first.record.events

      hold.end()
      try await until { second.record.frames(1).count == sent.count }
      try await until { first.record.events.last == "flowing 0-2.0" }

      #expect(events == ["opened 0-2.0", "full 0-2.0"])
      #expect(second.record.frames(1) == sent)
      #expect(first.record.events == events + ["flowing 0-2.0"])
    }
  }

  @Test func `end with 32 MiB unsent, and open again when the peer reads`() async throws {
    try await LinkNode.withTwo { first, second in
      try await until { first.record.open.count == 1 && second.record.open.count == 1 }
      let hold = second.hold()

      first.send((0..<80).map { [UInt8](repeating: $0, count: 1_000_000) }, to: 2)
      try await until { first.record.events.contains("ended 0-2.0") }
      hold.end()
      try await until { first.record.events.last == "opened 0-2.0" && first.record.open.count == 1 }
      try await until { second.record.events.count { $0 == "opened 0-1.0" } == 2 }
      first.send([[2]], to: 2)
      try await until { second.record.frames(1).last == [2] }

      #expect(first.live.log.contains("bytes waited to be sent"))
      #expect(!first.record.events.contains("ended within send"))
      #expect(second.record.events == ["opened 0-1.0", "ended 0-1.0", "opened 0-1.0"])
    }
  }

  @Test func `end if a frame is not understood, and open again`() async throws {
    try await LinkNode.withTwo { first, second in
      second.record.refuse([13])
      try await until { first.record.open.count == 1 && second.record.open.count == 1 }

      first.send([[12], [13], [14]], to: 2)
      try await until { second.record.events.count == 3 && first.record.events.count == 3 }

      #expect(second.record.frames(1) == [[12], [13]])
      #expect(second.record.events == ["opened 0-1.0", "ended 0-1.0", "opened 0-1.0"])
      #expect(first.record.events == ["opened 0-2.0", "ended 0-2.0", "opened 0-2.0"])
      #expect(second.live.log.contains("not understood"))
    }
  }

  @Test func `wait for a node that does not know the other one yet`() async throws {
    try await LinkNode.withTwo(areAcquainted: false) { first, second in
      first.links.update([second.peer(), first.peer()])
      try await until { first.live.log.count("link-closed") > 0 }
      #expect(first.record.events.isEmpty)

      second.links.update([first.peer(), second.peer()])
      try await until { first.record.open.count == 1 && second.record.open.count == 1 }

      #expect(first.record.refused.isEmpty)
      #expect(second.record.open == [Link(loop: 0, node: 1, otherLoop: 0)])
    }
  }

  @Test func `find a node by its name`() async throws {
    try await LinkNode.withTwo(areAcquainted: false) { first, second in
      second.links.update([first.peer()])
      first.links.update([second.peer(host: "localhost")])

      try await until { first.record.open.count == 1 && second.record.open.count == 1 }
      first.send([[1]], to: 2)
      try await until { second.record.frames(1) == [[1]] }

      #expect(first.record.refused.isEmpty)
    }
  }

  @Test func `end when a node has gone from the list, and open when it is there again`() async throws {
    try await LinkNode.withTwo(loops: 2) { first, second in
      try await until { first.record.open.count == 4 && second.record.open.count == 4 }

      first.links.update([])
      try await until { first.record.open.isEmpty && second.record.open.isEmpty }
      first.send([[1]], to: 2)
      first.links.update([second.peer(number: 8)])
      try await until { first.record.open.count == 4 && second.record.open.count == 4 }

      #expect(first.record.peers.suffix(4).allSatisfy { $0.number == 8 })
      #expect(first.record.events.count { $0.hasPrefix("ended") } == 4)
      #expect(second.record.frames(1).isEmpty)
    }
  }

  @Test func `tell that nobody listens any more, and open to a new incarnation at the same address`()
    async throws
  {
    try await LinkNode.withTwo { first, second in
      try await until { first.record.open.count == 1 && second.record.open.count == 1 }
      #expect(first.record.refused.isEmpty)
      let port = second.links.port

      second.links.stop()
      try await until { first.record.refused.count > 1 }
      #expect(first.record.events == ["opened 0-2.0", "ended 0-2.0"])
      #expect(second.record.events == ["opened 0-1.0", "ended 0-1.0"])
      let third = try LinkNode(5, on: second.live, port: port)
      third.links.update([first.peer()])
      try await until { first.live.log.contains("node 5 is at the address, and node 2 was meant") }
      #expect(first.record.open.isEmpty && third.record.open.isEmpty)
      first.links.update([third.peer()])
      try await until { first.record.open.count == 1 && third.record.open.count == 1 }
      third.send([[3]], to: 1)
      try await until { first.record.frames(5) == [[3]] }

      #expect(Set(first.record.refused) == [2])
      #expect(second.record.frames(1).isEmpty)
    }
  }

  @Test func `end before the loops do`() async throws {
    try await LinkNode.withTwo(loops: 2) { first, second in
      try await until { first.record.open.count == 4 && second.record.open.count == 4 }

      await second.live.server.stop()

      #expect(second.record.open.isEmpty)
      #expect(second.record.events.count { $0.hasPrefix("ended") } == 4)
      let count = second.record.events.count
      try await until { first.record.open.isEmpty && !first.record.refused.isEmpty }
      second.links.update([first.peer()])
      second.links.stop()
      #expect(second.record.events.count == count)
    }
  }
}
