// SPDX-License-Identifier: Apache-2.0

/// Makes plain text of the bits of HTML in which Wikipedia writes its snippets.
enum PlainText {
  /// The text without tags, its character references replaced, and runs of white space as one space.
  ///
  /// The result may contain `<` (from `&lt;`); it is text and must be shown as such.
  static func stripping(_ html: String) -> String {
    var text = ""
    var rest = html[...]
    while let next = rest.first {
      if next == "<", let end = rest.firstIndex(of: ">") {
        rest = rest[rest.index(after: end)...]
      } else if next == "&", let (character, length) = reference(rest) {
        text.append(character)
        rest = rest.dropFirst(length)
      } else {
        text.append(next)
        rest = rest.dropFirst()
      }
    }
    return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static let names: [Substring: Character] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "ndash": "–", "mdash": "—",
    "hellip": "…",
  ]

  /// The character that a reference at the beginning stands for, and the reference's length.
  private static func reference(_ text: Substring) -> (Character, Int)? {
    guard let end = text.prefix(12).firstIndex(of: ";") else { return nil }
    let name = text[text.index(after: text.startIndex)..<end]
    let length = name.count + 2
    guard name.first == "#" else { return names[name].map { ($0, length) } }
    let digits = name.dropFirst()
    let isHexadecimal = digits.first == "x" || digits.first == "X"
    let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init).map { (Character($0), length) }
  }
}
