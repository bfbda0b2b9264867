// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import GalleryAPI

@Suite(.timeLimit(.minutes(5))) struct `The article index` {
  private static let shared = Result { try ArticleIndex() }

  private func titles(_ word: String, limit: Int = 20) async throws -> [String] {
    try await Self.shared.get().search(word, limit: limit).map(\.title)
  }

  @Test(arguments: ["tokyo", "TOKYO", "ＴＯＫＹＯ", "  Tōkyō\u{3000}"])
  func `finds a title first, whatever its case, width and accents`(_ word: String) async throws {
    #expect(try await titles(word).first == "Tokyo")
  }

  @Test func `finds Japanese words of two characters, and of one`() async throws {
    #expect(try await titles("東京").first == "東京")
    #expect(try await titles("富士").first == "富士山")
    #expect(try await titles("月").first == "月")
  }

  @Test(arguments: ["らーめん", "ラーメン", "ﾗｰﾒﾝ"])
  func `finds kana of each kind and width`(_ word: String) async throws {
    #expect(try await titles(word).first == "ラーメン")
  }

  @Test func `tells letters with a voicing mark from those without`() async throws {
    #expect(try await titles("カブトムシ") == ["カブトムシ"])
    #expect(try await titles("ガブトムシ").isEmpty)
  }

  @Test func `finds accented names by plain letters`() async throws {
    #expect(try await titles("sao paulo").first == "São Paulo")
  }

  @Test func `wants all terms, long and short ones`() async throws {
    #expect(try await titles("river japan") == ["Shinano River"])
    #expect(try await titles("望遠鏡 日本") == ["すばる望遠鏡"])
    #expect(try await titles("tokyo 東京").isEmpty)
    #expect(try await titles("shinano\0river") == ["Shinano River"])
  }

  @Test func `finds parts of words, as somebody types`() async throws {
    #expect(try await titles("photosyn") == ["Photosynthesis"])
  }

  @Test func `returns no more than the limit`() async throws {
    #expect(try await titles("the", limit: 7).count == 7)
    #expect(try await titles("a", limit: 3).count == 3)
    #expect(try await titles("the", limit: 0).isEmpty)
    #expect(try await titles("the", limit: -1).isEmpty)
  }

  @Test(arguments: [
    "\"", "\"\"\"", "tokyo\"", "title:tokyo", "tokyo*", "tokyo OR kyoto", "NEAR(tokyo kyoto)", "^tokyo",
    "(tokyo",
    "-tokyo", "tokyo'; DROP TABLE article; --", "%", "_", "%%%", "___", "\\", "{tokyo}",
    "\u{1}\u{2}",
  ])
  func `takes no character for an operator`(_ word: String) async throws {
    let found = try await titles(word)

    #expect(found.count < 3)
    #expect(try await titles("tokyo").first == "Tokyo")
  }

  @Test func `ignores blank words and the far end of long ones`() async throws {
    #expect(try await titles("").isEmpty)
    #expect(try await titles(" \n\u{3000}").isEmpty)
    #expect(try await titles("tokyo" + String(repeating: " ", count: 95) + "zzzzzz").first == "Tokyo")
    #expect(try await titles(String(repeating: "\"東", count: 100_000)).isEmpty)
  }

  @Test func `shows the match in the snippet, and a link to the page`() async throws {
    let article = try #require(try await Self.shared.get().search("ロンドン大会").first)

    #expect(article.title == "マラソン")
    #expect(article.snippet.contains("ロンドン大会"))
    #expect(
      article.link == "https://ja.wikipedia.org/wiki/%E3%83%9E%E3%83%A9%E3%82%BD%E3%83%B3")
  }

  @Test func `never traps on random words`() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("ab \"'*()東京ガﾞｶ́ß\u{3000}\0-:^ÅΣ👩‍👩‍👧")
    let index = try Self.shared.get()

    for _ in 0..<300 {
      let letters = (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in
        alphabet.randomElement(using: &random)
      }
      let found = try await index.search(String(letters), limit: 5)
      #expect(found.count <= 5, "seed \(seed)")
    }
  }
}

@Suite struct `The article collection` {
  @Test func `has some hundred complete articles, half of them Japanese`() {
    let articles = ArticleCollection.all
    let japanese = articles.filter { $0.link.hasPrefix("https://ja.") }

    #expect(articles.count > 300)
    #expect((0.4...0.6).contains(Double(japanese.count) / Double(articles.count)))
    for article in articles {
      #expect(article.text.count >= 15 && article.text.count <= 250, "\(article.title)")
      #expect(article.text.hasSuffix(".") || article.text.hasSuffix("。"), "\(article.title)")
      #expect(URL(string: article.link) != nil)
    }
  }

  @Test func `has each page once`() {
    let links = ArticleCollection.all.map(\.link)

    #expect(Set(links).count == links.count)
  }
}

@Suite struct `A snippet` {
  private let text =
    String(repeating: "before ", count: 30) + "MATCH" + String(repeating: " after", count: 30)

  @Test func `of a short text is all of it`() {
    #expect(Snippet.part(of: "Short text.", around: ["text"]) == "Short text.")
  }

  @Test func `shows whole words around the match`() {
    let part = Snippet.part(of: text, around: ["match"])

    #expect(part.hasPrefix("…before "))
    #expect(part.contains("before MATCH after"))
    #expect(part.hasSuffix(" after…"))
    #expect(part.count <= Snippet.maxLength + 2)
  }

  @Test func `is the beginning when nothing matches, and the end for a match there`() {
    #expect(Snippet.part(of: text, around: ["zzz"]).hasPrefix("before before"))
    #expect(Snippet.part(of: text + " end", around: ["end"]).hasSuffix(" end"))
  }

  @Test func `finds matches behind characters that change their length`() {
    let text = String(repeating: "ﾞﾊﾟ㍿", count: 40) + "ＴＯＫＹＯ"

    #expect(Snippet.part(of: text, around: ["tokyo"]).hasSuffix("ＴＯＫＹＯ"))
  }
}
