// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiSession
import MusubiWire
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Floods of messages` {
  private func limited(_ perSecond: Int, burst: Int) -> SessionConfiguration {
    var sessions = SessionConfiguration()
    sessions.messageRate = MessageRate(perSecond: perSecond, burst: burst)
    return sessions
  }

  @Test(arguments: [1, 2])
  func `are read slowly, and all of them take effect in order`(loops: Int) async throws {
    try await LiveServer.withRooms(loops: loops, sessions: limited(100, burst: 10)) { port in
      let page = try `Rooms on two live loops`.page(port, "room=flood")

      for number in 1...40 { try page.sendText(#"{"input":\#(number),"name":"count"}"#) }

      var shown = 0
      while shown < 40 {
        let frame = try Value(json: page.readText())
        guard let text = frame["patch"]?.arrayValue?.first?["value"]?.stringValue else { continue }
        // Messages that were read at once are one turn.
        let count = Int(text) ?? 0
        #expect(count > shown && count <= 40)
        shown = max(count, shown)
      }
    }
  }

  @Test func `of one page leave the others alone`() async throws {
    try await LiveServer.withRooms(loops: 1, sessions: limited(1, burst: 5)) { port in
      let flood = try `Rooms on two live loops`.page(port, "room=flood")
      let calm = try `Rooms on two live loops`.page(port, "room=calm")

      for number in 1...50 { try flood.sendText(#"{"input":\#(number),"name":"count"}"#) }
      while try !flood.readText().contains(#""sequence":"#) {}
      try calm.sendText(#"{"ping":7}"#)

      #expect(try calm.readText() == #"{"pong":7}"#)
    }
  }

  @Test func `of one address are counted on all loops together`() async throws {
    try await LiveServer.with({
      $0.loops = 2
      $0.countsLoopback = true
      $0.messageRatePerAddress = MessageRate(perSecond: 1, burst: 200)
    }) { live in
      let pages = try (0..<8).map { _ in try live.page() }

      for page in pages { for _ in 0..<400 { try page.sendText("nothing") } }

      var statistics = await live.server.statistics()
      while statistics.reduce(0, { $0 + $1.throttled }) < 8, !Task.isCancelled {
        statistics = await live.server.statistics()
      }
      // One message more for each page, and those of a second; two loops that count for themselves take 400.
      #expect(statistics.reduce(0) { $0 + $1.messagesReceived } < 300)
    }
  }

  @Test func `do not keep a page from being closed`() async throws {
    try await LiveServer.withRooms(loops: 1, sessions: limited(1, burst: 2)) { port in
      let page = try `Rooms on two live loops`.page(port, "room=flood")

      for text in [#"{"ping":1}"#, #"{"ping":2}"#, "nonsense"] { try page.sendText(text) }
      var frame = try page.readFrame()
      while frame.opcode != 8 { frame = try page.readFrame() }
      try page.sendFrame(8, [0x0F, 0xA0])

      #expect(frame.closeCode == 4501)
      #expect(try page.isAtEnd())
    }
  }
}
