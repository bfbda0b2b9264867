// SPDX-License-Identifier: Apache-2.0
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Asks Wikipedia's search API.
///
/// May be used from everywhere. Cancelling the task that asks ends the request.
package final class WikipediaClient: Sendable {
  private let configuration: WikipediaConfiguration
  private let session: URLSession

  /// A client without cookies and cache.
  ///
  /// - Parameter configuration: The server and its bounds.
  package init(configuration: WikipediaConfiguration) {
    self.configuration = configuration
    let settings = URLSessionConfiguration.ephemeral
    settings.timeoutIntervalForRequest = configuration.timeout / .seconds(1)
    settings.timeoutIntervalForResource = configuration.timeout / .seconds(1)
    settings.httpAdditionalHeaders = ["User-Agent": configuration.userAgent, "Accept": "application/json"]
    session = URLSession(configuration: settings)
  }

  deinit { session.invalidateAndCancel() }

  /// Searches the titles and texts.
  ///
  /// - Parameters:
  ///   - word: What to search for; at most 300 characters are sent, which is the API's limit.
  ///   - limit: The most results, 1 to 50.
  /// - Returns: The results in Wikipedia's order, their snippets as plain text; none for a blank word.
  /// - Throws: `WikipediaError`.
  package func search(_ word: String, limit: Int = 20) async throws(WikipediaError) -> [Article] {
    guard word.contains(where: { !$0.isWhitespace }) else { return [] }
    let data = try await answer(to: request(word, limit: min(max(1, limit), 50)))
    let answer: WikipediaAnswer
    do {
      answer = try JSONDecoder().decode(WikipediaAnswer.self, from: data)
    } catch {
      throw WikipediaError(.invalidAnswer, "The answer is not the search API's JSON: \(error)")
    }
    if let refusal = answer.error {
      throw WikipediaError(.refused, "\(refusal.code.prefix(80)): \(refusal.info.prefix(80))")
    }
    guard let query = answer.query else { throw WikipediaError(.invalidAnswer, "The answer has no query.") }
    return query.search.prefix(limit).map(article)
  }

  private func request(_ word: String, limit: Int) -> URLRequest {
    // By hand: URLComponents leaves `+` as it is, which a server reads as a space.
    var allowed = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\0"..."\u{7F}"))
    allowed.insert(charactersIn: "-._~")
    let encoded = String(word.prefix(300)).addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    let query = "action=query&list=search&format=json&formatversion=2&srlimit=\(limit)&srsearch=\(encoded)"
    let address = configuration.baseURL.appending(path: "w/api.php")
    var parts = URLComponents(url: address, resolvingAgainstBaseURL: false)
    parts?.percentEncodedQuery = query
    return URLRequest(url: parts?.url ?? address)
  }

  private func answer(to request: URLRequest) async throws(WikipediaError) -> Data {
    let data: Data
    let response: URLResponse
    do {
      (data, response) = try await session.data(for: request)
    } catch {
      if Task.isCancelled || (error as? URLError)?.code == .cancelled {
        throw WikipediaError(.cancelled, "The search was cancelled.")
      }
      throw WikipediaError(.transport, "Wikipedia does not answer: \(error.localizedDescription)")
    }
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard status == 200 else {
      throw WikipediaError(.status(status), "Wikipedia answers with status \(status).")
    }
    guard data.count <= configuration.maxAnswerBytes else {
      throw WikipediaError(.invalidAnswer, "The answer has more than \(configuration.maxAnswerBytes) bytes.")
    }
    return data
  }

  private func article(_ hit: WikipediaAnswer.Hit) -> Article {
    var link = URLComponents(url: configuration.baseURL, resolvingAgainstBaseURL: false)
    link?.path = "/wiki/" + hit.title.replacing(" ", with: "_")
    return Article(
      id: hit.pageid, title: hit.title, snippet: PlainText.stripping(hit.snippet), link: link?.string ?? "")
  }
}
