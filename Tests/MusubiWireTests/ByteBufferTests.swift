// SPDX-License-Identifier: Apache-2.0

import Seeds
import Testing

@testable import MusubiWire

@Suite(.timeLimit(.minutes(5))) struct `A buffer of bytes` {
  /// Writes that are shorter and longer than all memory that there is at their time.
  @Test func `grows whatever is written at the end of its memory`() throws {
    try forSeeds(300) { random in
      var buffer = ByteBuffer()
      var expected: [UInt8] = []
      while expected.count < 3_000 {
        let bytes = [UInt8](
          repeating: UInt8(random.below(256)), count: random.oneOf([0, 1, 7, 255, 256, 1_000]))
        switch random.below(5) {
        case 0:
          buffer.append(7)
          expected.append(7)
        case 1:
          buffer.append(contentsOf: bytes)
          expected += bytes
        case 2:
          buffer.appendJSON(Int64.min)
          expected += Array("\(Int64.min)".utf8)
        case 3:
          buffer.appendJSON("\u{1}")
          expected += Array(#""\u0001""#.utf8)
        default:
          buffer.appendFrame(.text) { $0.append(contentsOf: bytes) }
          expected += WebSocketFrame.bytes(.text, bytes)
        }
      }
      try hold([UInt8](buffer) == expected, "\(expected.count) bytes")
    }
  }

  @Test func `begins again when it was emptied`() {
    var buffer = ByteBuffer()
    for length in [10, 100_000, 10] {
      buffer.append(contentsOf: [UInt8](repeating: 1, count: length))
      #expect([UInt8](buffer).count == length)
      buffer.removeAll()
      #expect([UInt8](buffer) == [])
    }
  }

  @Test(arguments: [Int64.min, -10, -1, 0, 9, 10, 99, 100, 9_999_999_999, Int64.max - 1, Int64.max])
  func `writes integers as Swift does`(integer: Int64) {
    #expect(String(writing: { $0.appendJSON(integer) }) == "\(integer)")
  }

  @Test func `a byte that was not written is out of reach`() async {
    await #expect(processExitsWith: .failure) {
      var buffer = ByteBuffer()
      buffer.append(1)
      buffer[1] = 2
    }
  }
}
