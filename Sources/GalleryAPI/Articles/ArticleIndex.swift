// SPDX-License-Identifier: Apache-2.0
import MusubiSQLite

/// A full-text index over the articles that ship with the gallery.
///
/// It is built in memory from `ArticleCollection` and may be used from everywhere. Terms of three characters and
/// more are found by FTS5's trigram index, which knows no words and so suits Japanese as well; shorter ones by
/// comparing all texts, which a collection of this size allows.
package final class ArticleIndex: Sendable {
  private struct Entry: Sendable {
    let article: CollectedArticle
    let title: FoldedText
    let text: FoldedText
    let titleBytes: [UInt8]
    let textBytes: [UInt8]

    init(_ article: CollectedArticle) {
      self.article = article
      title = FoldedText(article.title)
      text = FoldedText(article.text)
      titleBytes = Array(title.folded.utf8)
      textBytes = Array(text.folded.utf8)
    }

    func titleContains(_ term: String) -> Bool {
      FoldedText.offset(of: Array(term.utf8), in: titleBytes) != nil
    }

    func contains(_ term: String) -> Bool {
      titleContains(term) || FoldedText.offset(of: Array(term.utf8), in: textBytes) != nil
    }
  }

  private let entries: [Entry]
  private let database: DatabaseQueue

  /// Builds the index; takes about a tenth of a second, so call it at start-up.
  ///
  /// - Throws: `SQLiteError` if this SQLite has no FTS5.
  package convenience init() throws { try self.init(ArticleCollection.all) }

  /// Builds an index over other articles.
  init(_ articles: [CollectedArticle]) throws {
    let entries = articles.map(Entry.init)
    var migrator = Migrator()
    migrator.register("articles") { connection in
      try connection.run(
        "CREATE VIRTUAL TABLE article USING fts5(title, text, tokenize = 'trigram case_sensitive 1')")
      for (index, entry) in entries.enumerated() {
        try connection.run(
          "INSERT INTO article (rowid, title, text) VALUES (?, ?, ?)", index, entry.title.folded,
          entry.text.folded)
      }
    }
    self.entries = entries
    database = try DatabaseQueue(.memory, migrator: migrator)
  }

  /// The number of articles.
  package var count: Int { entries.count }

  /// The articles that contain all the terms of a word, the best first.
  ///
  /// Case, width, accents and the kind of kana make no difference; no character has a special meaning.
  ///
  /// - Parameters:
  ///   - word: Terms with spaces between them; at most eight, and 100 characters together, are looked at.
  ///   - limit: The most results to return.
  /// - Returns: The results, a match in the title before one in the text (bm25); none for a blank word.
  /// - Throws: `SQLiteError` of kind `queueFull` if too many searches wait.
  package func search(_ word: String, limit: Int = 20) async throws -> [Article] {
    let terms = SearchTerms(word)
    guard !terms.all.isEmpty, limit > 0 else { return [] }
    let found = try await terms.long.isEmpty ? entriesByTitle(terms) : indexedEntries(terms)
    return found.prefix(limit).map { index in
      let article = entries[index].article
      return Article(
        id: index + 1, title: article.title, snippet: Snippet.part(of: article.text, around: terms.all),
        link: article.link)
    }
  }

  private func indexedEntries(_ terms: SearchTerms) async throws -> [Int] {
    let ranked = try await database.read { connection in
      try connection.rows(
        "SELECT rowid FROM article WHERE article MATCH ? ORDER BY bm25(article, 10.0, 1.0), rowid",
        terms.expression
      ) { try $0.value(0, as: Int.self) }
    }
    return ranked.filter { index in terms.short.allSatisfy { entries[index].contains($0) } }
  }

  /// Without the index there is no bm25: the shortest titles that contain the first term, then the rest.
  private func entriesByTitle(_ terms: SearchTerms) -> [Int] {
    let found = entries.indices.filter { index in terms.short.allSatisfy { entries[index].contains($0) } }
    let ranks = found.map { index in
      entries[index].titleContains(terms.short[0]) ? entries[index].titleBytes.count : Int.max
    }
    return zip(ranks, found).sorted { $0 < $1 }.map(\.1)
  }
}
