// SPDX-License-Identifier: Apache-2.0
import CSodium
import Foundation

/// A secret of 256 random bits; whoever has it is logged in, or may use a link.
///
/// The store has only its hash, so that a stolen file lets nobody in. A plain SHA-256 is enough: nobody can try all of 2²⁵⁶.
struct Token: Sendable {
  /// The secret, in base64 for addresses (RFC 4648, section 5), without padding.
  let text: String
  /// The SHA-256 of the secret's text.
  let hash: [UInt8]

  /// A new secret.
  init() { self.init(secret: Self.random(32)) }

  /// The secret of a text that somebody sent.
  ///
  /// - Parameter text: The text; nil if it cannot be one, and need not be looked for.
  init?(_ text: String) {
    guard text.utf8.count == 43 else { return nil }
    self.init(secret: text)
  }

  private init(secret text: String) {
    self.text = text
    let bytes = Array(text.utf8)
    hash = [UInt8](unsafeUninitializedCapacity: Int(crypto_hash_sha256_BYTES)) { hash, initialized in
      guard let start = hash.baseAddress else { return }
      _ = crypto_hash_sha256(start, bytes, UInt64(bytes.count))
      initialized = Int(crypto_hash_sha256_BYTES)
    }
  }

  /// Random bytes as text.
  static func random(_ count: Int) -> String {
    precondition(PasswordHash.isReady, "libsodium has no source of chance.")
    var bytes = [UInt8](repeating: 0, count: count)
    randombytes_buf(&bytes, bytes.count)
    return Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
      "=", with: "")
  }
}
