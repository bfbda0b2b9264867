// SPDX-License-Identifier: Apache-2.0

/// Decides whether bytes are UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
enum UTF8Check {
  /// Whether all bytes together are UTF-8.
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      // Eight bytes of ASCII at once.
      if index + 8 <= bytes.count,
        bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        index += 8
        continue
      }
      guard let length = sequenceLength(bytes, at: index) else { return false }
      index += length
    }
    return true
  }

  private static func sequenceLength(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
    let lead = bytes[index]
    if lead < 0x80 { return 1 }
    // The second byte's range excludes overlong forms, surrogates and what lies above U+10FFFF.
    let length: Int
    let second: ClosedRange<UInt8>
    switch lead {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return nil
    }
    guard index + length <= bytes.count, second.contains(bytes[index + 1]) else { return nil }
    for offset in 2..<max(2, length) where !(0x80...0xBF).contains(bytes[index + offset]) { return nil }
    return length
  }
}
