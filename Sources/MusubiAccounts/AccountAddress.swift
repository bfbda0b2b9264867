// SPDX-License-Identifier: Apache-2.0
import Foundation

/// An e-mail address, as `<input type="email">` takes it (HTML Standard, "valid email address"), of at most 254 bytes.
///
/// It is ASCII, so no two that look the same differ. Accounts have it in lower case: `Ann@Example.org` and `ann@example.org`
/// are one account, though a mail server might tell them apart (RFC 5321, section 2.4).
struct AccountAddress: Hashable, Sendable {
  /// The address in lower case.
  let text: String

  /// Reads an address; nil if the text is none.
  init?(_ text: String) {
    guard text.utf8.count <= 300 else { return nil }
    let text = text.trimming(while: \.isWhitespace).lowercased()
    let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    guard text.utf8.count <= 254, parts.count == 2, let local = parts.first, let domain = parts.last,
      !local.isEmpty, local.allSatisfy({ Self.isAlphanumeric($0) || Self.marks.contains($0) }),
      domain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy(Self.isLabel)
    else { return nil }
    self.text = text
  }

  private static let marks = Set(".!#$%&'*+/=?^_`{|}~-".utf8)

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isLabel(_ label: Substring.UTF8View) -> Bool {
    guard let first = label.first, let last = label.last, label.count <= 63 else { return false }
    return isAlphanumeric(first) && isAlphanumeric(last)
      && label.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
  }
}

extension StringProtocol {
  /// The text without characters at its ends that fulfil a condition.
  func trimming(while condition: (Character) -> Bool) -> String {
    var rest = self[...]
    while let first = rest.first, condition(first) { rest = rest.dropFirst() }
    while let last = rest.last, condition(last) { rest = rest.dropLast() }
    return String(rest)
  }
}

extension String {
  /// The text in its composed form (NFC).
  var precomposed: String { precomposedStringWithCanonicalMapping }
}
