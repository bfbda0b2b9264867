// SPDX-License-Identifier: Apache-2.0

import MusubiClient
import Seeds
import Testing

@testable import MusubiWire

@Suite struct `WebSocket frames` {
  @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 100_000], [WebSocketReader.Role.server, .client])
  func `each length is written in its shortest form and read again`(
    length: Int, reader role: WebSocketReader.Role
  ) throws {
    let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    let bytes = [UInt8](writing: {
      $0.appendFrame(.binary, payload, mask: role == .server ? 0x1234_5678 : nil)
    })

    var reader = MessageReader(role)
    reader.feed(bytes)

    #expect(try reader.next() == .binary(payload))
    #expect(try reader.next() == nil)
    let header = (length < 126 ? 2 : length < 65_536 ? 4 : 10) + (role == .server ? 4 : 0)
    #expect(bytes.count == header + length)
  }

  @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 100_000])
  func `a payload that is written in place gets the same header`(length: Int) {
    let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    let before = Array("before".utf8)

    let bytes = [UInt8](writing: {
      $0.append(contentsOf: before)
      $0.appendFrame(.text) { $0.append(contentsOf: payload) }
      $0.appendFrame(.text) { $0.append(contentsOf: payload) }
    })

    let frame = WebSocketFrame.bytes(.text, payload)
    #expect(bytes == before + frame + frame)
  }

  @Test func `messages cut at every byte arrive whole`() throws {
    let bye = WebSocketFrame.closePayload(.slowConsumer, "slow é")
    let bytes = [UInt8](writing: {
      $0.appendFrame(.text, Array("a😀".utf8.prefix(3)), mask: 1, isFinal: false)
      $0.appendFrame(.ping, [7], mask: 2)
      $0.appendFrame(.continuation, Array("a😀".utf8.dropFirst(3)), mask: 3)
      $0.appendFrame(.pong, [], mask: 4)
      $0.appendFrame(.close, bye, mask: 5)
    })
    let expected: [MessageReader.Message] = [
      .ping([7]), .text(Array("a😀".utf8)), .pong, .close(.slowConsumer, reason: "slow é"),
    ]

    for cut in 0...bytes.count {
      var reader = MessageReader(.server)
      var messages: [MessageReader.Message] = []
      for part in [bytes[..<cut], bytes[cut...]] {
        reader.feed(part)
        while let message = try reader.next() { messages.append(message) }
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
      ([0x82, 126, 0x03, 0xe9], .messageTooLong(limit: 1_000)), ([0x88, 1, 3], .invalidCloseCode(3)),
      ([0x88, 2, 0x03, 0xed], .invalidCloseCode(1005)), ([0x88, 3, 0x03, 0xe8, 0xff], .invalidUTF8),
    ] as [([UInt8], WireError.Kind)])
  func `hostile frames are refused, and again on each call`(bytes: [UInt8], kind: WireError.Kind) {
    var reader = MessageReader(.client, maxMessageBytes: 1_000)
    reader.feed(bytes)

    let error = #expect(throws: WireError.self) { while try reader.next() != nil {} }
    reader.feed([0x81, 0x00])

    #expect(error?.kind == kind)
    #expect(#expect(throws: WireError.self) { try reader.next() } == error)
  }

  @Test func `fragments together keep the limit`() throws {
    let bytes = [UInt8](writing: {
      $0.appendFrame(.text, [UInt8](repeating: 97, count: 600), mask: 1, isFinal: false)
      $0.appendFrame(.continuation, [UInt8](repeating: 97, count: 600), mask: 1)
    })
    var reader = MessageReader(.server, maxMessageBytes: 1_000)
    reader.feed(bytes)

    let error = #expect(throws: WireError.self) { while try reader.next() != nil {} }

    #expect(error?.closeCode == .tooLarge)
  }

  @Test func `random bytes in random pieces never trap`() throws {
    try forSeeds(10_000) { random in
      var reader = MessageReader(random.oneOf([.server, .client]), maxMessageBytes: 500)
      do throws(WireError) {
        for _ in 0..<4 {
          reader.feed(
            (0..<random.below(20)).map { _ in
              UInt8(random.oneOf([0, 1, 0x81, 0x88, 0x80, 126, 127, 0xff, 5]))
            })
          while try reader.next() != nil {}
        }
      } catch {}
    }
  }

  @Test func `a long reason is cut at a character`() {
    let payload = WebSocketFrame.closePayload(.normal, String(repeating: "é", count: 100))

    #expect(payload.count == 124)
  }
}
