// SPDX-License-Identifier: Apache-2.0

/// A text in every language that the gallery speaks; the page shows the one that its visitor has chosen.
package struct Translations: Encodable, Equatable, Sendable {
  /// English.
  package let en: String
  /// Japanese.
  package let ja: String

  /// A text in both languages.
  package init(en: String, ja: String) {
    self.en = en
    self.ja = ja
  }
}
