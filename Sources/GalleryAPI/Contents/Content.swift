// SPDX-License-Identifier: Apache-2.0
package import struct Foundation.Date

/// One entry that somebody posted.
package struct Content: Sendable, Equatable, Identifiable, Codable {
  /// Its number in the database; never used twice, also not after a deletion.
  package let id: Int64
  /// Its title.
  package let title: String
  /// Its text.
  package let text: String
  /// Who wrote it; empty if unknown.
  package let author: String
  /// When it was posted, in whole milliseconds.
  package let time: Date

  /// An entry with all its parts.
  package init(id: Int64, title: String, text: String, author: String, time: Date) {
    self.id = id
    self.title = title
    self.text = text
    self.author = author
    self.time = time
  }
}
