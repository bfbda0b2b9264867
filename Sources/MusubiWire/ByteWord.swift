// SPDX-License-Identifier: Apache-2.0

/// Eight bytes of a text at once.
struct ByteWord {
  let bytes: UInt64

  @inline(__always)
  init(at start: UnsafePointer<UInt8>) { bytes = UnsafeRawPointer(start).loadUnaligned(as: UInt64.self) }

  /// How many bytes there are before the first that a string in JSON may not hold as it is: a quote, a backslash or a
  /// control character; 8 if there is none.
  @inline(__always)
  var plainCount: Int { Self.count(before: special) }

  /// The same, where other bytes than ASCII may not be held either.
  @inline(__always)
  var plainASCIICount: Int { Self.count(before: special | bytes) }

  /// The highest bit of the first of these bytes, and perhaps of bytes behind it.
  @inline(__always)
  private var special: UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = bytes ^ (ones &* UInt64(UInt8.quote))
    let backslash = bytes ^ (ones &* UInt64(UInt8.backslash))
    let control = (bytes &- ones &* 0x20) & ~bytes
    return ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | control
  }

  @inline(__always)
  private static func count(before marks: UInt64) -> Int {
    UInt64(littleEndian: marks & 0x8080_8080_8080_8080).trailingZeroBitCount / 8
  }
}
