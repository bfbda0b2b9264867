// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiServer
import Synchronization

/// Seals values, so that a browser can keep them and nobody can read or change them on the way.
///
/// ```swift
/// let secrets = application.secrets
/// application.post("/basket") { request in
///   var basket = secrets.open(request.cookies["basket"], as: Basket.self, for: "basket") ?? Basket()
///   basket.add(try request.form["item"] ?? "")
///   var response = try Response.redirect(to: "/basket")
///   response.setCookie("basket", try secrets.seal(basket, for: "basket", validFor: .seconds(86_400)))
///   return response
/// }
/// ```
///
/// A sealed text is encrypted and authenticated by AES-256-GCM with its name and the time when it ends (RFC 5116), by the key
/// of `Configuration.secretFile`. Until the server has started, a key that lives as long as the process is used; so tests
/// need no file.
///
/// Whoever holds a sealed text can use it until it ends: it cannot be taken back. May be used from any thread.
public final class Secrets: Sendable {
  private let keys: Mutex<[[UInt8]]>
  private let clock: @Sendable () -> Double
  /// Whether a program seals anything at all.
  private let wasUsed = Atomic<Bool>(false)

  /// A cookie has a name and attributes besides; browsers keep 4,096 bytes of name and value.
  private static let maxBytes = 4_000
  private static let nonceBytes = 12
  private static let tagBytes = 16

  init(
    _ keys: [[UInt8]] = [Cryptography.randomBytes(32)],
    clock: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
  ) {
    self.keys = Mutex(keys.map(Self.derived))
    self.clock = clock
  }

  /// Whether somebody has asked the application for its secrets.
  var isUsed: Bool {
    get { wasUsed.load(ordering: .relaxed) }
    set { wasUsed.store(newValue, ordering: .relaxed) }
  }

  /// Takes other keys from now on; the first one seals, all open.
  func use(_ keys: [[UInt8]]) {
    let derived = keys.map(Self.derived)
    self.keys.withLock { $0 = derived }
  }

  /// Seals a value for a while.
  ///
  /// - Parameters:
  ///   - value: Anything that can be JSON.
  ///   - name: Its purpose, such as the cookie's name; it can be opened by this name alone.
  ///   - duration: How long it can be opened.
  /// - Returns: A text of letters, digits, `-` and `_`, which a cookie and an address take as it is.
  /// - Throws: `EncodingError` if the value is no JSON; `SealError` if the text would not fit into a cookie.
  public func seal(_ value: some Encodable, for name: String, validFor duration: Duration) throws -> String {
    // JSON of a single number or text is none for some readers.
    let plain = Array(try JSONEncoder().encode([value]))
    let (seconds, fraction) = duration.components
    let end = clock() + Double(seconds) + Double(fraction) / 1e18
    let ends = UInt64(min(max(0, end.rounded(.up)), 9e15))
    let head = [1] + (0..<8).map { UInt8(truncatingIfNeeded: ends >> (56 - 8 * UInt64($0))) }
    let nonce = Cryptography.randomBytes(Self.nonceBytes)
    guard let key = keys.withLock({ $0.first }) else { throw SealError.noKey }
    let sealed = Cryptography.sealed(plain, key: key, nonce: nonce, beside: head + Array(name.utf8))
    let text = Data(head + nonce + sealed).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    guard text.utf8.count + name.utf8.count <= Self.maxBytes else {
      throw SealError.tooLong(name, bytes: text.utf8.count)
    }
    return text
  }

  /// Opens a sealed value.
  ///
  /// - Parameters:
  ///   - text: The sealed text, as it came back; nil opens to nil, so that a cookie can be given as it is.
  ///   - type: The type that was sealed.
  ///   - name: The name for which it was sealed.
  /// - Returns: The value; nil if the text was changed, has ended, was sealed for another name or type, or by a key that is
  ///   not there any more.
  public func open<Value: Decodable>(_ text: String?, as type: Value.Type, for name: String) -> Value? {
    guard let text, text.utf8.count <= Self.maxBytes else { return nil }
    let padded =
      text.replacing("-", with: "+").replacing("_", with: "/")
      + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: padded), data.count >= 9 + Self.nonceBytes + Self.tagBytes,
      data[0] == 1
    else { return nil }
    let bytes = Array(data)
    let ends = bytes[1..<9].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard Double(ends) > clock() else { return nil }
    let nonce = Array(bytes[9..<(9 + Self.nonceBytes)])
    let sealed = Array(bytes[(9 + Self.nonceBytes)...])
    for key in keys.withLock({ $0 }) {
      let plain = Cryptography.opened(
        sealed, key: key, nonce: nonce, beside: Array(bytes[..<9]) + Array(name.utf8))
      guard let plain else { continue }
      do {
        return try JSONDecoder().decode([Value].self, from: Data(plain)).first
      } catch {
        // It was sealed by an older program, whose type had other fields: as good as none.
        return nil
      }
    }
    return nil
  }

  /// The key for this purpose alone, from one that may have others.
  private static func derived(_ key: [UInt8]) -> [UInt8] {
    Cryptography.derivedKey(from: key, for: "musubi sealed values 1")
  }
}

/// Why a value cannot be sealed.
public enum SealError: Error, Equatable, CustomStringConvertible {
  /// The sealed text would not fit into a cookie: keep the value on the server, and seal its number.
  case tooLong(_ name: String, bytes: Int)
  /// There is no key.
  case noKey

  /// One sentence.
  public var description: String {
    switch self {
    case .tooLong(let name, let bytes):
      "The value for \"\(name)\" is \(bytes) bytes when sealed, and a cookie takes 4,096 with its name: keep the value on "
        + "the server, and seal its number."
    case .noKey: "There is no key to seal with."
    }
  }
}
