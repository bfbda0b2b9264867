// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import GalleryAPI

@Suite(.timeLimit(.minutes(5))) struct `The Wikipedia client` {
  private func client(_ server: LocalServer, timeout: Duration = .seconds(30)) -> WikipediaClient {
    var configuration = WikipediaConfiguration(baseURL: server.url)
    configuration.timeout = timeout
    return WikipediaClient(configuration: configuration)
  }

  @Test func `turns an answer into articles with plain text`() async throws {
    let server = try LocalServer { _ in .answer(status: 200, WikipediaAnswers.hits("Mount Fuji", "東京")) }

    let found = try await client(server).search("fuji")

    #expect(found.map(\.title) == ["Mount Fuji", "東京"])
    #expect(found.map(\.id) == [100, 101])
    #expect(found[0].snippet == "About Mount Fuji & more, \"so's\"")
    #expect(found[0].link == "\(server.url)/wiki/Mount_Fuji")
    #expect(found[1].link == "\(server.url)/wiki/%E6%9D%B1%E4%BA%AC")
  }

  @Test(arguments: ["a+b&c=d#e/f?g%20", "東京 タワー", "\"quoted\" -minus", "é"])
  func `sends the word as it is`(_ word: String) async throws {
    let server = try LocalServer { _ in .answer(status: 200, WikipediaAnswers.hits()) }

    let found = try await client(server).search(word, limit: 7)

    let request = try #require(server.requests.first)
    #expect(found.isEmpty)
    #expect(request.path == "/w/api.php")
    #expect(request.query["srsearch"] == word)
    #expect(request.query["srlimit"] == "7")
    #expect(request.query["action"] == "query")
    #expect(request.query["list"] == "search")
    #expect(request.query["format"] == "json")
    #expect(request.head.contains("User-Agent: MusubiGallery/"))
  }

  @Test func `asks nothing for a blank word`() async throws {
    let server = try LocalServer { _ in .close }

    let found = try await client(server).search(" \u{3000}")

    #expect(found.isEmpty)
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: [
    (LocalServer.Reply.answer(status: 503, "busy"), WikipediaError.Kind.status(503)),
    (.answer(status: 404, "{}"), .status(404)),
    (.answer(status: 200, "<html>a portal's page</html>"), .invalidAnswer),
    (.answer(status: 200, "{\"query\":{\"search\":[{\"title\":1}]}}"), .invalidAnswer),
    (.answer(status: 200, "{}"), .invalidAnswer),
    (.answer(status: 200, ""), .invalidAnswer),
    (.answer(status: 200, String(repeating: " ", count: 2 << 20)), .invalidAnswer),
    (.answer(status: 200, WikipediaAnswers.refusal), .refused),
    (.cut("{\"query\""), .transport),
    (.close, .transport),
  ])
  func `tells its problem, and works again`(
    _ reply: LocalServer.Reply, _ kind: WikipediaError.Kind
  ) async throws {
    let server = try LocalServer { request in
      request.query["srsearch"] == "bad" ? reply : .answer(status: 200, WikipediaAnswers.hits("Good"))
    }
    let client = client(server)

    let error = await failure(WikipediaError.self) { _ = try await client.search("bad") }
    let found = try await client.search("good")

    #expect(error?.kind == kind)
    #expect(found.map(\.title) == ["Good"])
  }

  @Test func `tells that nobody listens`() async throws {
    let configuration = WikipediaConfiguration(baseURL: try LocalServer { _ in .close }.url)

    let error = await failure(WikipediaError.self) {
      _ = try await WikipediaClient(configuration: configuration).search("fuji")
    }

    #expect(error?.kind == .transport)
  }

  @Test func `gives up a server that does not answer`() async throws {
    let never = DispatchSemaphore(value: 0)
    defer { never.signal() }
    let server = try LocalServer { _ in .after(never, .close) }

    let error = await failure(WikipediaError.self) {
      _ = try await client(server, timeout: .seconds(1)).search("fuji")
    }

    #expect(error?.kind == .transport)
  }

  @Test func `keeps answers apart that come out of order`() async throws {
    let newerIsThere = DispatchSemaphore(value: 0)
    let server = try LocalServer { request in
      let word = request.query["srsearch"] ?? ""
      let answer = LocalServer.Reply.answer(status: 200, WikipediaAnswers.hits(word))
      return word == "older" ? .after(newerIsThere, answer) : answer
    }
    let client = client(server)

    async let older = client.search("older")
    let newer = try await client.search("newer")
    newerIsThere.signal()

    #expect(newer.map(\.title) == ["newer"])
    #expect(try await older.map(\.title) == ["older"])
  }

  @Test func `ends a request whose task is cancelled`() async throws {
    let never = DispatchSemaphore(value: 0)
    defer { never.signal() }
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let server = try LocalServer { _ in
      arrived.yield()
      return .after(never, .close)
    }
    let client = client(server)

    let search = Task { await failure(WikipediaError.self) { _ = try await client.search("fuji") } }
    for await _ in arrivals { break }
    search.cancel()

    #expect(await search.value?.kind == .cancelled)
  }

  @Test func `takes language codes only`() {
    #expect(WikipediaConfiguration(language: "ja")?.baseURL.absoluteString == "https://ja.wikipedia.org")
    for code in ["", "e", "en.evil.example/", "EN", "en@x", "日本"] {
      #expect(WikipediaConfiguration(language: code) == nil)
    }
  }
}

@Suite struct `Plain text of HTML` {
  @Test(arguments: [
    ("a <b>bold</b> word", "a bold word"),
    ("&lt;script&gt; &amp;amp; &#x6771;&#20140;", "<script> &amp; 東京"),
    ("cut <span class=\"x", "cut <span class=\"x"),
    ("&unknown; & &;", "&unknown; & &;"),
    ("&#xD800; &#99999999999;", "&#xD800; &#99999999999;"),
    ("  many \n spaces&nbsp;", "many spaces"),
  ])
  func `has no tags and no references`(_ html: String, _ text: String) {
    #expect(PlainText.stripping(html) == text)
  }
}
