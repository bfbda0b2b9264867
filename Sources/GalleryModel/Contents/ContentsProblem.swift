// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI

/// How a problem with the contents looks; the View layer decides, so the ViewModel need not know it.
package protocol ContentsResources {
  /// What to tell the visitor.
  func text(of problem: ContentsError.Kind) -> String
  /// The name of the colour in which it is told.
  func colour(of problem: ContentsError.Kind) -> String
}
