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

  /// The 32 bytes of an HMAC with SHA-256 (RFC 2104).
  package static func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { code, initialized in
      guard musubi_hmac_sha256(key, key.count, bytes, bytes.count, code.baseAddress) == 1 else {
        fatalError("OpenSSL makes no authentication code.")
      }
      initialized = 32
    }
  }

  /// Whether two secrets are equal; the time does not tell where they differ.
  package static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && musubi_is_equal(one, other, one.count) != 0
  }

  /// A SHA-256 of bytes that come one after another.
  package struct SHA256: ~Copyable {
    private let state: UnsafeMutableRawPointer

    package init() {
      guard let state = musubi_sha256_begin() else { fatalError("OpenSSL has no memory for a hash.") }
      self.state = state
    }

    deinit { _ = musubi_sha256_end(state, nil) }

    /// Takes further bytes.
    package mutating func add(_ bytes: [UInt8]) {
      guard musubi_sha256_add(state, bytes, bytes.count) == 1 else { fatalError("OpenSSL takes no bytes.") }
    }

    /// The 32 bytes for all that was taken.
    package consuming func hash() -> [UInt8] {
      let state = state
      discard self
      return [UInt8](unsafeUninitializedCapacity: 32) { hash, initialized in
        guard musubi_sha256_end(state, hash.baseAddress) == 1 else { fatalError("OpenSSL ends no hash.") }
        initialized = 32
      }
    }
  }

  /// The bytes of a text in base64 (RFC 4648 section 4), padded; nil if it is none.
  package static func bytes(ofBase64 text: String) -> [UInt8]? {
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

  /// A key of 32 bytes for one purpose, from any that is hard to guess (HKDF with SHA-256, RFC 5869).
  package static func derivedKey(from key: [UInt8], for purpose: String) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(musubi_key_bytes)) { bytes, initialized in
      guard musubi_derive_key(key, key.count, purpose, bytes.baseAddress) == 1 else {
        fatalError("OpenSSL derives no key.")
      }
      initialized = Int(musubi_key_bytes)
    }
  }

  /// Seals bytes by AES-256-GCM (RFC 5116).
  ///
  /// - Parameters:
  ///   - plain: The bytes.
  ///   - key: 32 bytes.
  ///   - nonce: 12 bytes that this key has never been used with.
  ///   - beside: What is authenticated with them, and not sealed.
  /// - Returns: The sealed bytes with their tag.
  package static func sealed(_ plain: [UInt8], key: [UInt8], nonce: [UInt8], beside: [UInt8]) -> [UInt8] {
    precondition(key.count == Int(musubi_key_bytes) && nonce.count == 12)
    let count = plain.count + Int(musubi_tag_bytes)
    return [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
      guard musubi_seal(key, nonce, beside, beside.count, plain, plain.count, bytes.baseAddress) == 1 else {
        fatalError("OpenSSL has no memory to seal a value.")
      }
      initialized = count
    }
  }

  /// Opens what was sealed; nil if the key, the nonce, what stands beside it or a bit of it differs.
  package static func opened(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8], beside: [UInt8]) -> [UInt8]? {
    precondition(key.count == Int(musubi_key_bytes) && nonce.count == 12)
    guard sealed.count >= Int(musubi_tag_bytes) else { return nil }
    var isGenuine = false
    let plain = [UInt8](unsafeUninitializedCapacity: sealed.count) { bytes, initialized in
      isGenuine =
        musubi_unseal(key, nonce, beside, beside.count, sealed, sealed.count, bytes.baseAddress) == 1
      initialized = isGenuine ? sealed.count - Int(musubi_tag_bytes) : 0
    }
    return isGenuine ? plain : nil
  }
}
