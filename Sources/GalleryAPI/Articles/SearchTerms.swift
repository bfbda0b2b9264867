// SPDX-License-Identifier: Apache-2.0

/// What somebody typed into the search field, taken apart; every term must occur in a result.
///
/// Nothing in it has a meaning of its own: quotes, stars and operators are ordinary characters.
struct SearchTerms: Equatable {
  /// The longest word that is searched for, in characters; what follows is ignored.
  static let maxLength = 100
  /// The most terms that are searched for.
  static let maxCount = 8

  /// Folded terms of three characters and more, which the trigram index finds.
  let long: [String]
  /// Folded terms of one or two characters, such as 東京, which it cannot find.
  let short: [String]

  init(_ word: String) {
    let terms = word.prefix(Self.maxLength)
      .split { $0.isWhitespace || $0.unicodeScalars.allSatisfy { $0.properties.generalCategory == .control } }
      .map { FoldedText($0).folded }
      .filter { !$0.isEmpty }
      .prefix(Self.maxCount)
    long = terms.filter { $0.unicodeScalars.count >= 3 }
    short = terms.filter { $0.unicodeScalars.count < 3 }
  }

  /// All terms, those first that say more.
  var all: [String] { long + short }

  /// The FTS5 expression for the long terms: quoted phrases, all of which must match.
  var expression: String {
    long.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: " ")
  }
}
