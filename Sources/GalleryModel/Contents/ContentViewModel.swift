// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI
package import struct Foundation.Date
package import struct MusubiRx.Driver

/// One entry on its own page.
package final class ContentViewModel {
  /// The page sends nothing.
  package struct Inputs: Decodable {
    /// Nothing.
    package init() {}
  }

  /// What the page shows.
  package struct Outputs: Encodable {
    package let title: Driver<String>
    package let text: Driver<String>
    package let author: Driver<String>
    package let time: Driver<Date>
  }

  /// The entry.
  package let content: Content

  /// The page of an entry.
  package init(_ content: Content) { self.content = content }

  /// Shows the entry; entries do not change.
  package func bind(_ inputs: Inputs) -> Outputs {
    Outputs(
      title: .just(content.title), text: .just(content.text), author: .just(content.author),
      time: .just(content.time))
  }
}
