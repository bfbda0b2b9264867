// SPDX-License-Identifier: Apache-2.0

/// Checks UTF-8 by the table of well-formed sequences (The Unicode Standard, table 3-7).
package enum UTF8Check {
  /// The length of the sequence that starts with that byte; 0 if it is ill-formed or cut off.
  static func sequenceLength(in bytes: UnsafeRawBufferPointer, at position: Int) -> Int {
    let lead = bytes[position]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xbf
    switch lead {
    case 0..<0x80: return 1
    case 0xc2...0xdf: length = 2
    case 0xe0: (length, second) = (3, 0xa0...0xbf)
    case 0xed: (length, second) = (3, 0x80...0x9f)
    case 0xe1...0xef: length = 3
    case 0xf0: (length, second) = (4, 0x90...0xbf)
    case 0xf4: (length, second) = (4, 0x80...0x8f)
    case 0xf1...0xf3: length = 4
    default: return 0
    }
    guard position + length <= bytes.count, second.contains(bytes[position + 1]) else { return 0 }
    for index in 2..<max(length, 2) where bytes[position + index] & 0xc0 != 0x80 { return 0 }
    return length
  }

  /// Whether all of the bytes are well-formed.
  package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var position = 0
    while position < bytes.count {
      if position + 8 <= bytes.count,
        bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        position += 8
        continue
      }
      let length = sequenceLength(in: bytes, at: position)
      guard length > 0 else { return false }
      position += length
    }
    return true
  }
}
