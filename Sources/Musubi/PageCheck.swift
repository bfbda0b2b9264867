// SPDX-License-Identifier: Apache-2.0
import MusubiServer

/// A page that cannot work with the screens that exist; found when the server starts.
public struct PageError: Error, Equatable, CustomStringConvertible {
  /// One sentence with the file and the line, the wrong name, and the possible names.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Checks that pages name screens that exist.
struct PageCheck {
  let screens: [String]
  /// Those of the screens that everybody in a room shares.
  var shared: Set<String> = []

  /// Looks at every page of the public folder; one whose server is elsewhere (`data-server`) has no screen of
  /// ours.
  ///
  /// - Parameter files: The public folder.
  /// - Throws: `PageError` for the first page whose `data-screen` names no screen, or one whose address cannot be bound.
  func check(_ files: StaticFiles) throws(PageError) {
    for page in files.htmlPages {
      let elements = PageReader.elements(of: page.text)
      guard let body = elements.first(where: { $0.tag == "body" }), body["data-server"] == nil,
        let screen = body["data-screen"]
      else { continue }
      func place(_ attribute: String, of element: PageElement) -> String {
        let place =
          files.origin(of: element, attribute: attribute, in: page.path)?.place
          ?? PagePlace(file: String(page.path.dropFirst()), line: element.line)
        return "\(place.file):\(place.line): "
      }
      guard screens.contains(screen) else {
        throw PageError(
          place("data-screen", of: body)
            + "data-screen names the screen \"\(screen.prefix(80))\", but the application has "
            + "\(screens.joined(separator: ", ")).")
      }
      guard shared.contains(screen) else { continue }
      for element in elements {
        guard let query = element.attributes.first(where: { $0.name.hasPrefix("data-bind-query") }) else {
          continue
        }
        throw PageError(
          place(query.name, of: element)
            + "\(query.name) binds the page's address, but everybody in a room shares the screen "
            + "\"\(screen)\", and each page has an address of its own; give the screen the scope .session.")
      }
    }
  }
}
