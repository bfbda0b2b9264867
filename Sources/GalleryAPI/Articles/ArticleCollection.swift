// SPDX-License-Identifier: Apache-2.0

/// The articles that ship with the gallery: short facts in English and Japanese, written for it.
///
/// They are texts in the program, one file per topic in `Collection/`, so that the program needs no other file.
enum ArticleCollection {
  /// What one topic's file holds, in the format of `CollectedArticle.parse`.
  struct Topic: Sendable {
    let english: String
    let japanese: String
  }

  /// All topics, in the order that decides the articles' numbers; a new one goes to the end.
  static let topics: [Topic] = [
    .cities, .waters, .mountains, .foods, .instruments, .animals, .plants, .inventions, .festivals, .sciences,
    .sports, .arts, .space,
  ]

  /// All articles.
  static var all: [CollectedArticle] {
    topics.flatMap {
      CollectedArticle.parse($0.english, language: .english)
        + CollectedArticle.parse($0.japanese, language: .japanese)
    }
  }
}
