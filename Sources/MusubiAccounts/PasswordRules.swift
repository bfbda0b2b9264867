// SPDX-License-Identifier: Apache-2.0

/// The rules of a password: long enough, and none that everybody tries first.
///
/// By NIST SP 800-63B, section 5.1.1.2: at least 8 characters, long ones welcome, no rules about digits and capitals, and a
/// comparison with common passwords. Its fourth revision asks for 15 characters where nothing but the password is asked for;
/// set `minimumLength` if you follow it.
public struct PasswordRules: Sendable {
  /// The fewest characters, counted as Unicode's scalars; 8.
  public var minimumLength = 8
  /// Passwords that are refused besides those that Musubi knows, such as your company's name; compared in lower case.
  public var refused: Set<String> = []

  /// The most bytes of a password in UTF-8; what is longer is refused, and never hashed.
  public static let maximumBytes = 256

  /// The rules as they are if you say nothing.
  public init() {}

  /// Prepares a password for its hash, by the profile OpaqueString (RFC 8265, section 4.2).
  ///
  /// Spaces of other scripts become plain ones, and what looks the same becomes the same (NFC), so that a password that was
  /// chosen on one keyboard can be typed on another.
  ///
  /// - Parameter password: The password as it was typed.
  /// - Returns: The password to hash; nil if it is empty, too long, or has control characters, and so is nobody's.
  static func prepared(_ password: String) -> String? {
    // Bounded before anything looks at it; the composed form may be a third as long.
    guard !password.isEmpty, password.utf8.count <= 3 * maximumBytes else { return nil }
    var scalars = String.UnicodeScalarView()
    for scalar in password.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .surrogate, .unassigned, .privateUse, .lineSeparator, .paragraphSeparator: return nil
      case .spaceSeparator: scalars.append(" ")
      default: scalars.append(scalar)
      }
    }
    let prepared = String(scalars).precomposed
    return prepared.utf8.count <= maximumBytes ? prepared : nil
  }

  /// The problem of a new password.
  ///
  /// - Parameters:
  ///   - password: The password as it was typed.
  ///   - words: What the account shows of its owner: the address and the name.
  /// - Returns: Why it is refused; nil if it is fine.
  func problem(of password: String, beside words: [String]) -> AccountProblem? {
    guard password.unicodeScalars.count >= minimumLength else { return .passwordTooShort(minimumLength) }
    guard let prepared = Self.prepared(password) else { return .passwordUnusable }
    let lowered = prepared.lowercased()
    let isCommon =
      Self.common.contains(lowered) || refused.contains(lowered) || Set(lowered).count < 3
      || words.contains { word in
        word.lowercased() == lowered || word.lowercased().prefix { $0 != "@" } == lowered
      }
    return isCommon ? .passwordCommon : nil
  }

  /// The commonest passwords of at least eight characters, by the lists of past leaks.
  private static let common: Set<String> = Set(
    """
    12345678 123456789 1234567890 0123456789 987654321 9876543210 87654321 11223344 1122334455 112233445566 12341234
    123123123 123321123 147258369 159753456 123456789a 12345678a a12345678 a123456789 1234qwer 1q2w3e4r 1q2w3e4r5t
    1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc zaq12wsx qwer1234 qwerty123 qwerty12 qwerty1234 qwertyui qwertyuiop qwertzuiop
    azertyuiop asdfghjk asdfghjkl asdf1234 zxcvbnm123 q1w2e3r4 q1w2e3r4t5 password password1 password12 password123
    password1234 passw0rd p@ssw0rd p@ssword pass1234 passwort iloveyou iloveyou1 sunshine princess football baseball
    superman starwars trustno1 whatever jennifer michelle computer internet samsung1 welcome1 welcome123 letmein1
    abcd1234 abc12345 abcdefgh abc123456 aa123456 changeme changeme1 administrator admin123 admin1234 administrator1
    charlie1 michael1 liverpool chocolate butterfly pokemon1 dragon123 monkey123 master123 secret123 test1234 hello123
    """.split(whereSeparator: \.isWhitespace).map(String.init))
}
