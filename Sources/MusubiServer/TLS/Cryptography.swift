// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets

/// Chance and hashes, from the library that does TLS.
package enum Cryptography {
  /// Bytes that nobody can predict.
  package static func randomBytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
      // It fails only if the system has no entropy, and then nothing may go on.
      guard musubi_random(bytes.baseAddress, count) == 1 else { fatalError("OpenSSL gives no random bytes.") }
      initialized = count
    }
  }

  /// The 32 bytes of a SHA-256 (FIPS 180-4).
  package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { hash, initialized in
      guard musubi_sha256(bytes, bytes.count, hash.baseAddress) == 1 else {
        fatalError("OpenSSL has no memory for a hash.")
      }
      initialized = 32
    }
  }

  /// The bytes of a text in base64 (RFC 4648 section 4), padded; nil if it is none.
  static func bytes(ofBase64 text: String) -> [UInt8]? {
    let characters = Array(text.utf8)
    let padding = characters.suffix(2).count { $0 == UInt8(ascii: "=") }
    var isBase64 = false
    let bytes = [UInt8](unsafeUninitializedCapacity: characters.count) { bytes, initialized in
      let count = Int(musubi_base64_decode(characters, characters.count, bytes.baseAddress))
      isBase64 = count >= padding
      initialized = max(0, count - padding)
    }
    return isBase64 ? bytes : nil
  }
}
