// SPDX-License-Identifier: Apache-2.0
import Foundation

/// One article of the collection that ships with the gallery.
struct CollectedArticle: Sendable, Equatable {
  /// The languages of the collection.
  enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case japanese = "ja"
  }

  let title: String
  let text: String
  let link: String

  init(title: String, text: String, page: String, language: Language) {
    self.title = title
    self.text = text
    let page = page.replacing(" ", with: "_")
    let path = page.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? page
    link = "https://\(language.rawValue).wikipedia.org/wiki/\(path)"
  }

  /// Reads articles from a text: for each a line with the title, lines with its sentences, an empty line.
  ///
  /// A page at Wikipedia whose name is not the title follows it after ` | `.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - language: English lines are joined by a space, Japanese ones by nothing.
  /// - Returns: The articles in their order.
  static func parse(_ source: String, language: Language) -> [CollectedArticle] {
    source.split(separator: "\n\n").compactMap { paragraph in
      let lines = paragraph.split(separator: "\n")
      guard let head = lines.first?.split(separator: " | "), let title = head.first, let page = head.last
      else {
        return nil
      }
      let text = lines.dropFirst().joined(separator: language == .english ? " " : "")
      return CollectedArticle(title: String(title), text: text, page: String(page), language: language)
    }
  }
}
