// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Musubi

@Suite struct `The visitor's languages` {
  @Test(
    arguments: [
      (nil, []), ("", []), ("ja", ["ja"]), ("de, en;q=0.5, ja;q=0.9", ["de", "ja", "en"]),
      ("en-US,en;q=0.9,ja;q=0.9", ["en-us", "en", "ja"]), ("*, fr;q=0, en;q=x", []),
    ] as [(String?, [String])])
  func `come in the order of the visitor's preference`(field: String?, tags: [String]) {
    #expect(AcceptLanguage.tags(in: field) == tags)
  }
}
