// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI

/// How a problem with the contents looks; the View layer decides, so the ViewModel need not know it.
package protocol ContentsResources {
  /// What to tell the visitor, in the language that the browser asks for.
  func text(of problem: ContentsError.Kind) -> String
  /// The same in all languages, for a page that lets its visitor choose.
  func translations(of problem: ContentsError.Kind) -> Translations
  /// The name of the colour in which it is told.
  func colour(of problem: ContentsError.Kind) -> String
}
