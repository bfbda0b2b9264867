// SPDX-License-Identifier: Apache-2.0

import Seeds
import Testing

@testable import MusubiWire

@Suite struct `WebSocket frames` {
  @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 100_000], [false, true])
  func `each length is written in its shortest form and read again`(length: Int, isMasked: Bool) throws {
    let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    var bytes: [UInt8] = []
    if isMasked {
      WebSocketFrame.appendMasked(.binary, payload, mask: 0x1234_5678, to: &bytes)
    } else {
      WebSocketFrame.appendUnmasked(.binary, payload, to: &bytes)
    }

    var parser = WebSocketParser(expectsMasks: isMasked)
    parser.feed(bytes)

    #expect(try parser.next() == .binary(payload))
    #expect(try parser.next() == nil)
    let header = (length < 126 ? 2 : length < 65_536 ? 4 : 10) + (isMasked ? 4 : 0)
    #expect(bytes.count == header + length)
  }

  @Test func `messages cut at every byte arrive whole`() throws {
    var bytes: [UInt8] = []
    WebSocketFrame.appendMasked(.text, Array("a😀".utf8.prefix(3)), mask: 1, isFinal: false, to: &bytes)
    WebSocketFrame.appendMasked(.ping, [7], mask: 2, to: &bytes)
    WebSocketFrame.appendMasked(.continuation, Array("a😀".utf8.dropFirst(3)), mask: 3, to: &bytes)
    WebSocketFrame.appendMasked(.pong, [], mask: 4, to: &bytes)
    let bye = WebSocketFrame.closePayload(.slowConsumer, "slow é")
    WebSocketFrame.appendMasked(.close, bye, mask: 5, to: &bytes)
    let expected: [WebSocketParser.Message] = [
      .ping([7]), .text(Array("a😀".utf8)), .pong([]), .close(.slowConsumer, reason: "slow é"),
    ]

    for cut in 0...bytes.count {
      var parser = WebSocketParser(expectsMasks: true)
      var messages: [WebSocketParser.Message] = []
      for part in [bytes[..<cut], bytes[cut...]] {
        parser.feed(part)
        while let message = try parser.next() { messages.append(message) }
      }
      #expect(messages == expected, "cut at \(cut)")
    }
  }

  @Test(
    arguments: [
      ([0xc1, 0x00], WireError.Kind.reservedBits), ([0x83, 0x00], .unknownOpcode(3)),
      ([0x81, 0x80], .wrongMasking),
      ([0x09, 0x00], .fragmentedControl), ([0x89, 0x7e], .controlTooLong(126)),
      ([0x80, 0x00], .unexpectedContinuation),
      ([0x01, 0x00, 0x81, 0x00], .interruptedMessage), ([0x82, 126, 0, 125], .lengthNotMinimal),
      ([0x82, 127, 0, 0, 0, 0, 0, 0, 0xff, 0xff], .lengthNotMinimal),
      ([0x82, 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], .messageTooLong(limit: 1_000)),
      ([0x82, 126, 0x03, 0xe9], .messageTooLong(limit: 1_000)), ([0x81, 1, 0xff], .invalidUTF8),
      ([0x81, 2, 0xc3, 0x28], .invalidUTF8), ([0x88, 1, 3], .invalidCloseCode(3)),
      ([0x88, 2, 0x03, 0xed], .invalidCloseCode(1005)), ([0x88, 3, 0x03, 0xe8, 0xff], .invalidUTF8),
    ] as [([UInt8], WireError.Kind)])
  func `hostile frames are refused, and again on each call`(bytes: [UInt8], kind: WireError.Kind) {
    var parser = WebSocketParser(maximumMessageBytes: 1_000)
    parser.feed(bytes)

    let error = #expect(throws: WireError.self) { while try parser.next() != nil {} }
    parser.feed([0x81, 0x00])

    #expect(error?.kind == kind)
    #expect(#expect(throws: WireError.self) { try parser.next() } == error)
  }

  @Test func `fragments together keep the limit`() throws {
    var bytes: [UInt8] = []
    WebSocketFrame.appendMasked(
      .text, [UInt8](repeating: 97, count: 600), mask: 1, isFinal: false, to: &bytes)
    WebSocketFrame.appendMasked(.continuation, [UInt8](repeating: 97, count: 600), mask: 1, to: &bytes)
    var parser = WebSocketParser(expectsMasks: true, maximumMessageBytes: 1_000)
    parser.feed(bytes)

    let error = #expect(throws: WireError.self) { while try parser.next() != nil {} }

    #expect(error?.closeCode == .tooLarge)
  }

  @Test func `random bytes in random pieces never trap`() throws {
    try forSeeds(10_000) { random in
      var parser = WebSocketParser(expectsMasks: random.below(2) == 0, maximumMessageBytes: 500)
      do throws(WireError) {
        for _ in 0..<4 {
          parser.feed(
            (0..<random.below(20)).map { _ in
              UInt8(random.oneOf([0, 1, 0x81, 0x88, 0x80, 126, 127, 0xff, 5]))
            })
          while try parser.next() != nil {}
        }
      } catch {}
    }
  }

  @Test func `a long reason is cut at a character`() {
    let payload = WebSocketFrame.closePayload(.normal, String(repeating: "é", count: 100))

    #expect(payload.count == 124)
  }
}
