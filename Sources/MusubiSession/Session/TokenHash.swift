// SPDX-License-Identifier: Apache-2.0

/// The SHA-256 of a resume token: the server keeps no more of it, so who reads the store cannot resume.
struct TokenHash {
  private let bytes: InlineArray<32, UInt8>

  /// A hash of 32 bytes.
  init(_ bytes: [UInt8]) {
    precondition(bytes.count == 32, "SHA-256 gives 32 bytes.")
    self.bytes = InlineArray { bytes[$0] }
  }

  /// The hash of 64 hexadecimal digits; of others none that a token has.
  init(hexadecimal digits: String) {
    let digits = Array(digits.utf8)
    bytes = InlineArray { index in
      guard digits.count == 64 else { return 0 }
      return UInt8(String(decoding: digits[2 * index..<2 * index + 2], as: UTF8.self), radix: 16) ?? 0
    }
  }

  /// The hash as 64 hexadecimal digits.
  var hexadecimal: String {
    bytes.indices.map { (bytes[$0] < 16 ? "0" : "") + String(bytes[$0], radix: 16) }.joined()
  }
}

extension TokenHash: Equatable {
  /// Whether both are the same; looks at all of both, so that time does not tell where they differ.
  static func == (left: TokenHash, right: TokenHash) -> Bool {
    var difference: UInt8 = 0
    for index in left.bytes.indices { difference |= left.bytes[index] ^ right.bytes[index] }
    return difference == 0
  }
}
