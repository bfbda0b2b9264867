// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import Testing

@Suite(.serialized) struct `Floods of messages` {
  @Test func `are read slowly, and all of them take effect in order`() async throws {
    try await LiveServer.with({ $0.messageRate = MessageRate(perSecond: 100, burst: 10) }) { live in
      let page = try live.page()

      for number in 0..<40 { try page.sendText("\(number)") }
      for number in 0..<40 { #expect(try page.readText().hasSuffix(" \(number)")) }

      let statistics = await live.server.statistics()
      #expect(statistics[0].throttled > 0)
      #expect(statistics[0].messagesReceived == 40)
    }
  }

  @Test func `of one page leave the others alone`() async throws {
    try await LiveServer.with({ $0.messageRate = MessageRate(perSecond: 1, burst: 5) }) { live in
      let flood = try live.page()
      let calm = try live.page()

      for _ in 0..<50 { try flood.sendText("x") }
      for _ in 0..<5 { #expect(try flood.readText() == "text 1 x") }
      try calm.sendText("still there")

      #expect(try calm.readText() == "text 11 still there")
    }
  }

  @Test func `do not keep a page from being closed`() async throws {
    try await LiveServer.with({ $0.messageRate = MessageRate(perSecond: 1, burst: 2) }) { live in
      let page = try live.page()

      try page.sendText("a")
      try page.sendText("b")
      try page.sendText("close")
      var frame = try page.readFrame()
      while frame.opcode != 8 { frame = try page.readFrame() }
      try page.sendFrame(8, [0x0F, 0xA0])

      #expect(frame.closeCode == 4502)
      await live.untilEvents { $0.last == "disconnect" }
    }
  }
}
