// SPDX-License-Identifier: Apache-2.0
package import MusubiSQLite

/// How the contents are kept.
package struct ContentsConfiguration: Sendable {
  /// How the database works, its durability and its bounds.
  package var database = DatabaseQueueConfiguration()
  /// The most characters (Unicode scalars) of a title; 200.
  package var maxTitleLength = 200
  /// The most characters of a text; 10,000.
  package var maxTextLength = 10_000
  /// The most characters of an author's name; 200.
  package var maxAuthorLength = 200
  /// How long a repeated post is recognised; 30 days.
  ///
  /// Longer than any session lives, or a post could be doubled; shorter keeps the file smaller.
  package var repetitionMemory: Duration = .seconds(30 * 86_400)

  /// The most MiB that the file may have, its log apart; nil for as many as the disk has.
  package var maxMebibytes: Int? {
    get { database.connection.maxPages.map { $0 / 256 } }
    // SQLite's pages have 4 KiB.
    set { database.connection.maxPages = newValue.map { $0 * 256 } }
  }

  /// The defaults, which are right for a public page.
  package init() {}
}
