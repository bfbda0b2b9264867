// SPDX-License-Identifier: Apache-2.0

/// 32 bytes that tell texts apart, in the place of SHA-256; safe in tests only.
package func testHash(_ bytes: [UInt8]) -> [UInt8] {
  var state: UInt64 = 0xcbf2_9ce4_8422_2325
  func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
  for byte in bytes { add(byte) }
  return (0..<32).map { (place: UInt8) in
    add(place)
    return UInt8(truncatingIfNeeded: state >> 32)
  }
}
