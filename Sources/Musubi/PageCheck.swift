// SPDX-License-Identifier: Apache-2.0
import MusubiServer

/// A page that cannot work with the screens that exist; found when the server starts.
public struct PageError: Error, Equatable, CustomStringConvertible {
  /// One sentence with the page, its wrong name, and the possible names.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Checks that pages name screens that exist.
struct PageCheck {
  let screens: [String]
  /// Those of the screens that everybody in a room shares.
  var shared: Set<String> = []

  /// Looks at every page of the public folder.
  ///
  /// - Parameter files: The public folder.
  /// - Throws: `PageError` for the first page whose `data-screen` names no screen, or one whose address cannot be bound.
  func check(_ files: StaticFiles) throws(PageError) {
    for page in files.htmlPages {
      for screen in Self.screens(in: page.text) where !screens.contains(screen) {
        throw PageError(
          "The page \(page.path) names the screen \"\(screen.prefix(80))\" in data-screen, but the application has "
            + "\(screens.joined(separator: ", ")).")
      }
      guard page.text.contains("data-bind-query") else { continue }
      for screen in Self.screens(in: page.text) where shared.contains(screen) {
        throw PageError(
          "The page \(page.path) binds its address by data-bind-query, but everybody in a room shares the screen "
            + "\"\(screen)\", and each page has an address of its own; give the screen the scope .session.")
      }
    }
  }

  /// The values of all `data-screen` attributes; a page whose server is elsewhere (`data-server`) has none of ours.
  static func screens(in html: String) -> [String] {
    guard !html.contains("data-server=") else { return [] }
    return html.split(separator: "data-screen=", omittingEmptySubsequences: false).dropFirst().compactMap {
      rest in
      guard let quote = rest.first, quote == "\"" || quote == "'" else {
        return String(rest.prefix { !$0.isWhitespace && $0 != ">" })
      }
      return String(rest.dropFirst().prefix { $0 != quote })
    }
  }
}
