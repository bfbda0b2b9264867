// SPDX-License-Identifier: Apache-2.0

/// Cuts the part of a text out that shows why it was found.
enum Snippet {
  /// The most characters of a snippet, without the dots at its ends.
  static let maxLength = 120

  /// A part of the text around its first match.
  ///
  /// - Parameters:
  ///   - text: The whole text, unfolded.
  ///   - terms: Folded terms; the first one that occurs counts.
  /// - Returns: Plain text, with `…` where something was cut; the beginning if no term occurs.
  static func part(of text: String, around terms: [String]) -> String {
    let characters = Array(text)
    guard characters.count > maxLength else { return text }
    let match = terms.lazy.compactMap { FoldedText.position(of: $0, in: text) }.first ?? 0
    let lastStart = characters.count - maxLength
    var start = min(max(0, match - maxLength / 3), lastStart)
    var end = start + maxLength
    // Not through a word, where the script has spaces.
    if start > 0, let space = characters[start..<match].firstIndex(of: " ") { start = space + 1 }
    if end < characters.count, let space = characters[match..<end].lastIndex(of: " ") { end = space }
    let dots = (start > 0 ? "…" : "", end < characters.count ? "…" : "")
    return dots.0 + String(characters[start..<end]) + dots.1
  }
}
