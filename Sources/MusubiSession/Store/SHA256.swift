// SPDX-License-Identifier: Apache-2.0

/// A hash by the function of FIPS 180-4: a resume token is kept as its hash, so that who reads the store cannot resume.
struct SHA256 {
  private static let roundConstants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]

  private var state: (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32)

  /// The hash of a text's bytes.
  init(of text: String) {
    state = (
      0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19
    )
    var message = Array(text.utf8)
    let bitCount = UInt64(message.count) * 8
    message.append(0x80)
    while message.count % 64 != 56 { message.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      message.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
    }
    message.withUnsafeBytes { message in
      for block in stride(from: 0, to: message.count, by: 64) { add(message, at: block) }
    }
  }

  /// The hash of 64 hexadecimal digits; of others none that a text has.
  init(hexadecimal digits: String) {
    let digits = Array(digits.utf8)
    func word(_ index: Int) -> UInt32 {
      guard digits.count == 64 else { return 0 }
      return UInt32(String(decoding: digits[8 * index..<8 * index + 8], as: UTF8.self), radix: 16) ?? 0
    }
    state = (word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7))
  }

  /// The hash as 64 hexadecimal digits.
  var hexadecimal: String {
    words.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  /// The hash as 32 bytes.
  var bytes: [UInt8] {
    words.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
  }

  private var words: [UInt32] {
    [state.0, state.1, state.2, state.3, state.4, state.5, state.6, state.7]
  }

  private mutating func add(_ message: UnsafeRawBufferPointer, at block: Int) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
      for index in 0..<16 {
        words[index] = message.loadUnaligned(fromByteOffset: block + 4 * index, as: UInt32.self).bigEndian
      }
      for index in 16..<64 {
        let (early, late) = (words[index - 15], words[index - 2])
        let first = Self.rotated(early, 7) ^ Self.rotated(early, 18) ^ (early >> 3)
        let second = Self.rotated(late, 17) ^ Self.rotated(late, 19) ^ (late >> 10)
        words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
      }
      var (a, b, c, d, e, f, g, h) = state
      for index in 0..<64 {
        let sum1 = Self.rotated(e, 6) ^ Self.rotated(e, 11) ^ Self.rotated(e, 25)
        let choice = (e & f) ^ (~e & g)
        let first = h &+ sum1 &+ choice &+ Self.roundConstants[index] &+ words[index]
        let sum0 = Self.rotated(a, 2) ^ Self.rotated(a, 13) ^ Self.rotated(a, 22)
        let majority = (a & b) ^ (a & c) ^ (b & c)
        (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ sum0 &+ majority)
      }
      state = (
        state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e, state.5 &+ f, state.6 &+ g,
        state.7 &+ h
      )
    }
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }
}

extension SHA256: Equatable {
  /// Whether both are the same; looks at all of both, so that time does not tell where they differ.
  static func == (left: SHA256, right: SHA256) -> Bool {
    let (one, other) = (left.state, right.state)
    let first = (one.0 ^ other.0) | (one.1 ^ other.1) | (one.2 ^ other.2) | (one.3 ^ other.3)
    let second = (one.4 ^ other.4) | (one.5 ^ other.5) | (one.6 ^ other.6) | (one.7 ^ other.7)
    return first | second == 0
  }
}
