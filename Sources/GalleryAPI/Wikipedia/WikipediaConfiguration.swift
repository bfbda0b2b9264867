// SPDX-License-Identifier: Apache-2.0
package import Foundation

/// How Wikipedia is asked.
package struct WikipediaConfiguration: Sendable, Equatable {
  /// The server, without the path `/w/api.php`.
  package var baseURL: URL
  /// How long an answer may take; 10 s.
  package var timeout: Duration = .seconds(10)
  /// The largest answer that is read, in bytes; 1 MiB.
  package var maxAnswerBytes = 1 << 20
  /// How the program introduces itself, which Wikipedia asks of its clients.
  package var userAgent = "MusubiGallery/0.1 (search sample of the Musubi live-binding server)"

  /// A server of one's own, such as a test's.
  package init(baseURL: URL) { self.baseURL = baseURL }

  /// The Wikipedia of a language; nil if the code has other characters than lower-case letters and hyphens.
  ///
  /// - Parameter language: Its code in Wikipedia's host names, such as `en`, `ja` or `zh-yue`.
  package init?(language: String) {
    let isCode = language.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D }
    guard isCode, (2...12).contains(language.utf8.count),
      let url = URL(string: "https://\(language).wikipedia.org")
    else { return nil }
    baseURL = url
  }
}
