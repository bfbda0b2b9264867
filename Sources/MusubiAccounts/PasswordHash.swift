// SPDX-License-Identifier: Apache-2.0
import CSodium

/// What one hash of a password costs.
struct HashCost: Equatable, Sendable {
  /// How often the memory is gone over.
  var passes: UInt64
  /// The memory, in bytes.
  var memory: Int

  /// Argon2id, three passes over 64 MiB: the second choice of RFC 9106, section 4, with libsodium's one lane.
  ///
  /// OWASP's Password Storage Cheat Sheet asks for at least two passes over 19 MiB.
  static let standard = HashCost(passes: 3, memory: 64 << 20)
}

/// Hashes of passwords by libsodium's Argon2id; each takes its memory and some tenths of a second.
enum PasswordHash {
  /// Readies the library, which may be done again.
  static let isReady: Bool = sodium_init() >= 0

  /// Hashes a password with a salt of its own.
  ///
  /// - Parameters:
  ///   - password: The prepared password.
  ///   - cost: What it costs.
  /// - Returns: Everything that `verifies` needs, as a text (`$argon2id$v=19$m=…`); nil if there is no memory.
  static func make(_ password: String, cost: HashCost) -> String? {
    precondition(isReady, "libsodium has no source of chance.")
    var text = [CChar](repeating: 0, count: Int(crypto_pwhash_argon2id_STRBYTES))
    let bytes = password.utf8.map { CChar(bitPattern: $0) }
    guard crypto_pwhash_argon2id_str(&text, bytes, UInt64(bytes.count), cost.passes, cost.memory) == 0 else {
      return nil
    }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Whether a hash is that of a password; compares in constant time.
  static func verifies(_ hash: String, _ password: String) -> Bool {
    guard let text = padded(hash) else { return false }
    let bytes = password.utf8.map { CChar(bitPattern: $0) }
    return crypto_pwhash_argon2id_str_verify(text, bytes, UInt64(bytes.count)) == 0
  }

  /// Whether a hash was made at another cost.
  static func isOutdated(_ hash: String, cost: HashCost) -> Bool {
    guard let text = padded(hash) else { return true }
    return crypto_pwhash_argon2id_str_needs_rehash(text, cost.passes, cost.memory) != 0
  }

  /// A hash as libsodium reads it: with all bytes of its buffer.
  private static func padded(_ hash: String) -> [CChar]? {
    let size = Int(crypto_pwhash_argon2id_STRBYTES)
    guard hash.utf8.count < size else { return nil }
    return hash.utf8.map { CChar(bitPattern: $0) } + [CChar](repeating: 0, count: size - hash.utf8.count)
  }
}
