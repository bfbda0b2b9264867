// SPDX-License-Identifier: Apache-2.0

/// One result of a search.
package struct Article: Sendable, Equatable, Identifiable, Codable {
  /// Its number, unique in its collection.
  package let id: Int
  /// Its subject.
  package let title: String
  /// A part of its text with the word that was searched for; plain text.
  package let snippet: String
  /// The address of a page about it.
  package let link: String

  /// A result with all its parts.
  package init(id: Int, title: String, snippet: String, link: String) {
    self.id = id
    self.title = title
    self.snippet = snippet
    self.link = link
  }
}
