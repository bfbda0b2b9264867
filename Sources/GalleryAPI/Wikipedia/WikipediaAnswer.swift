// SPDX-License-Identifier: Apache-2.0

/// The parts of the search API's JSON answer that matter here.
struct WikipediaAnswer: Decodable {
  struct Query: Decodable {
    let search: [Hit]
  }

  struct Hit: Decodable {
    let title: String
    let pageid: Int
    /// A part of the page's text in HTML.
    let snippet: String
  }

  struct APIError: Decodable {
    let code: String
    let info: String
  }

  /// Missing if the API refused.
  let query: Query?
  /// Present if the API refused, with status 200 all the same.
  let error: APIError?
}
