// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI
package import MusubiRx

/// Where the search screen searches; tests inject a stub.
package protocol SearchModel {
  /// Finds the articles of a word, best first; disposing the subscription cancels the request.
  func search(_ word: String) -> Single<[Article]>
}

/// Searches the articles that ship with the gallery.
package final class LocalSearchModel: SearchModel, Sendable {
  private let index: ArticleIndex

  /// A search in an index.
  package init(index: ArticleIndex) { self.index = index }

  package func search(_ word: String) -> Single<[Article]> {
    .create { [index] in try await index.search(word) }
  }
}

/// Searches Wikipedia.
package final class WikipediaSearchModel: SearchModel, Sendable {
  private let client: WikipediaClient

  /// A search by a client.
  package init(client: WikipediaClient) { self.client = client }

  package func search(_ word: String) -> Single<[Article]> {
    .create { [client] in try await client.search(word) }
  }
}
