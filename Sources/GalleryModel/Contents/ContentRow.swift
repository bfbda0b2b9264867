// SPDX-License-Identifier: Apache-2.0
package import struct Foundation.Date
package import GalleryAPI

/// An entry in the list, with the address of its own page.
package struct ContentRow: Encodable, Equatable {
  /// The entry's number.
  package let id: Int64
  /// Its title.
  package let title: String
  /// Its text.
  package let text: String
  /// Who wrote it; empty if unknown.
  package let author: String
  /// When it was posted.
  package let time: Date
  /// Where its page is, for a link that can be copied and opened in a tab of its own.
  package let address: String

  /// The row of an entry.
  package init(_ content: Content) {
    id = content.id
    title = content.title
    text = content.text
    author = content.author
    time = content.time
    address = content.address
  }
}

extension Content {
  /// Where the entry's page is.
  package var address: String { Self.address(of: id) }

  /// Where the page of the entry of that number is.
  package static func address(of id: ID) -> String { "/contents/\(id)" }
}
