// SPDX-License-Identifier: Apache-2.0
import GalleryModel

/// The languages that the gallery's texts exist in.
enum Language {
  case english, japanese

  /// The first of the visitor's languages that the texts exist in; English if there is none.
  init(preferred: [String]) {
    let known = preferred.compactMap { tag -> Language? in
      tag.hasPrefix("ja") ? .japanese : tag.hasPrefix("en") ? .english : nil
    }
    self = known.first ?? .english
  }

  /// The text in this language.
  func text(of translations: Translations) -> String {
    self == .japanese ? translations.ja : translations.en
  }
}
