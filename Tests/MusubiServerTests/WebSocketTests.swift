// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `WebSockets` {
  @Test(arguments: [0, 1, 125, 126, 511, 512, 513, 4_096, 65_535, 65_536, 1 << 20])
  func `the echo gives back messages of every length`(_ length: Int) async throws {
    try await LiveServer.with { live in
      let client = try live.page("/echo")
      let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let text = payload.map { $0 & 0x7F }

      try client.sendFrame(2, payload)
      try client.sendFrame(1, text)

      #expect(try client.readFrame() == ClientSocket.Frame(opcode: 2, payload: payload))
      #expect(try client.readFrame() == ClientSocket.Frame(opcode: 1, payload: text))
    }
  }

  @Test func `fragments with a ping in between are one message`() async throws {
    try await LiveServer.with { live in
      let client = try live.page("/echo")
      let letter = Array("結び".utf8)

      try client.sendFrame(1, Array(letter[..<2]), isFinal: false)
      try client.sendFrame(9, [7])
      try client.sendFrame(0, Array(letter[2...4]), isFinal: false)
      try client.sendFrame(0, Array(letter[5...]))

      let frames = try [client.readFrame(), client.readFrame()]
      #expect(frames.contains(ClientSocket.Frame(opcode: 10, payload: [7])))
      #expect(frames.contains(ClientSocket.Frame(opcode: 1, payload: letter)))
    }
  }

  @Test(
    arguments: [
      [0xFF], [0xC0, 0x80], [0xE4, 0xBD], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x61, 0x80],
    ] as [[UInt8]])
  func `text that is not UTF-8 ends with 1007`(_ bytes: [UInt8]) async throws {
    try await LiveServer.with { live in
      let client = try live.page("/echo")

      try client.sendFrame(1, bytes)

      #expect(try client.readFrame().closeCode == 1007)
    }
  }

  @Test func `a character cut off before an empty final fragment ends with 1007`() async throws {
    try await LiveServer.with { live in
      let client = try live.page("/echo")

      try client.sendFrame(1, [0xE4, 0xBD], isFinal: false)
      try client.sendFrame(0, [])

      #expect(try client.readFrame().closeCode == 1007)
    }
  }

  @Test func `a message up to the limit passes, one byte more ends with 1009`() async throws {
    try await LiveServer.with { live in
      let client = try live.page()

      try client.sendFrame(1, [UInt8](repeating: 97, count: 65_536))
      let answer = try client.readText()
      try client.sendFrame(1, [UInt8](repeating: 97, count: 65_537))

      #expect(answer.hasPrefix("text 65536 "))
      #expect(try client.readFrame().closeCode == 1009)
    }
  }

  @Test func `fragments that together are too long end with 1009`() async throws {
    try await LiveServer.with { live in
      let client = try live.page()

      try client.sendFrame(1, [UInt8](repeating: 97, count: 40_000), isFinal: false)
      try client.sendFrame(0, [UInt8](repeating: 97, count: 40_000), isFinal: false)

      #expect(try client.readFrame().closeCode == 1009)
    }
  }

  @Test func `many messages in one packet are answered in order`() async throws {
    try await LiveServer.with { live in
      let client = try live.page()
      let bytes = (0..<500).flatMap { ClientSocket.frame(1, Array("m\($0)".utf8)) }

      try client.send(bytes)

      for index in 0..<500 { #expect(try client.readText().hasSuffix(" m\(index)")) }
    }
  }

  @Test func `what waits is sent before the close frame`() async throws {
    try await LiveServer.with { live in
      let client = try live.page()

      try client.sendText("goodbye")

      #expect(try client.readText() == "last words")
      let end = try client.readFrame()
      #expect(end.closeCode == 4502)
      #expect(end.payload.dropFirst(2) == Array("elsewhere".utf8)[...])
    }
  }

  @Test func `the service hears of each end once`() async throws {
    try await LiveServer.with { live in
      let closing = try live.page()
      try closing.sendText("close")
      _ = try closing.readFrame()
      try closing.sendFrame(8, [0x11, 0x96])
      #expect(try closing.isAtEnd())

      do { _ = try live.page() }
      await live.untilEvents { $0.count { $0 == "disconnect" } == 2 }

      #expect(live.record.events.count { $0.hasPrefix("connect") } == 2)
    }
  }

  @Test func `a reader that stalls holds up nobody, costs little, and gets all in the end`() async throws {
    try await LiveServer.with { live in
      let slow = try ClientSocket(port: live.port, receiveBufferBytes: 4_096)
      _ = try slow.upgrade("/live/known")
      let quick = try live.page()

      try slow.sendText("flood 400")
      for index in 0..<50 {
        try quick.sendText("\(index)")
        #expect(try quick.readText().hasSuffix(" \(index)"))
      }
      let sentWhileStalled = await live.server.statistics()[0].bytesSent
      for _ in 0..<400 { #expect(try slow.readFrame().payload.count == 60_000) }

      // 24 MB wait in the service; the kernel and the library together took a small part of them.
      #expect(sentWhileStalled < 4_000_000)
      await live.untilEvents { $0.contains("flood is over") }
    }
  }

  @Test func `a reader that stalls is cut off when it is to be closed`() async throws {
    try await LiveServer.with({ $0.closeTimeout = .milliseconds(50) }) { live in
      let slow = try ClientSocket(port: live.port, receiveBufferBytes: 4_096)
      _ = try slow.upgrade("/live/known")

      try slow.sendText("flood 400")
      try slow.sendText("close")

      await live.untilEvents { $0.contains("disconnect") }
    }
  }

  @Test func `a reader may read up to the close frame, however long the loop takes to write it`() async throws
  {
    try await LiveServer.with({ $0.closeTimeout = .seconds(1) }) { live in
      let page = try live.page()

      try page.sendText("flood 60")
      try page.sendText("close-slowly 1200")

      for _ in 0..<60 { #expect(try page.readFrame().payload.count == 60_000) }
      #expect(try page.readFrame().opcode == 8)
    }
  }

  @Test(arguments: [true, false]) func `a message that has half arrived is told to its handler`(
    _ isFragmented: Bool
  ) async throws {
    try await LiveServer.with { live in
      let page = try live.page()
      let payload = [UInt8](repeating: UInt8(ascii: "x"), count: 30_000)
      let last = ClientSocket.frame(isFragmented ? 0 : 1, payload)

      if isFragmented { try page.sendFrame(1, payload, isFinal: false) }
      try page.send(Array(last[..<25_000]))
      await live.untilEvents { $0.contains("holds much") }
      try page.send(Array(last[25_000...]))

      #expect(try page.readText().hasPrefix("text \(isFragmented ? 60_000 : 30_000) "))
      await live.untilEvents { $0.last { $0.hasPrefix("holds") } == "holds little" }
    }
  }

  @Test func `bytes that are not read are told to their handler`() async throws {
    try await LiveServer.with { live in
      let slow = try ClientSocket(port: live.port, receiveBufferBytes: 4_096)
      _ = try slow.upgrade("/live/known")

      try slow.sendText("flood 100")
      await live.untilEvents { $0.contains("holds much") }
      for _ in 0..<100 { _ = try slow.readFrame() }

      await live.untilEvents { $0.last { $0.hasPrefix("holds") } == "holds little" }
    }
  }

  @Test func `an echo that is not read stops reading, and goes on when it is`() async throws {
    // The client answers no ping, and a busy machine may take its time.
    let patiently: (inout ServerConfiguration) -> Void = {
      ($0.pingAfter, $0.hangUpAfter) = (.seconds(600), .seconds(900))
    }
    try await LiveServer.with(patiently) { live in
      let client = try ClientSocket(port: live.port, receiveBufferBytes: 4_096)
      _ = try client.upgrade("/echo")
      let payload = [UInt8](repeating: 1, count: 600_000)

      for _ in 0..<4 { try client.sendFrame(2, payload) }

      for _ in 0..<4 { #expect(try client.readFrame().payload.count == 600_000) }
    }
  }

  @Test func `a peer that answers no ping is hung up on`() async throws {
    let quickly: (inout ServerConfiguration) -> Void = {
      $0.pingAfter = .seconds(1)
      $0.hangUpAfter = .seconds(2)
    }
    try await LiveServer.with(quickly) { live in
      let silent = try live.page()

      #expect(try silent.readFrame().opcode == 9)
      #expect(try silent.isAtEnd())
    }
  }

  @Test(arguments: ["", "GET / HTTP/1.1\r\nHost:"])
  func `a peer that never completes its request is hung up on`(_ start: String) async throws {
    try await LiveServer.with({ $0.handshakeTimeout = .seconds(1) }) { live in
      let client = try live.client()

      try client.send(start)

      #expect(try client.isAtEnd())
    }
  }

  @Test func `a socket without further requests is closed`() async throws {
    try await LiveServer.with({ $0.keepAliveTimeout = .seconds(1) }) { live in
      let client = try live.client()

      _ = try client.get("/")

      #expect(try client.isAtEnd())
    }
  }
}
