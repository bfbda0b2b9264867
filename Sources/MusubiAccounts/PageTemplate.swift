// SPDX-License-Identifier: Apache-2.0

/// A static HTML page with places such as `{address}`, which texts take.
struct PageTemplate: Sendable {
  /// A piece of a page.
  private enum Piece: Sendable {
    case text(Substring)
    case place(String)
  }

  private let pieces: [Piece]

  /// Reads a page; braces around anything but one word stand for themselves.
  init(_ html: String) {
    var pieces: [Piece] = []
    var rest = html[...]
    while let open = rest.firstIndex(of: "{") {
      pieces.append(.text(rest[..<open]))
      let inside = rest[rest.index(after: open)...]
      let name = inside.prefix { ($0.isASCII && $0.isLetter) || $0 == "-" }
      rest = inside.dropFirst(name.count)
      if !name.isEmpty, rest.first == "}" {
        pieces.append(.place(String(name)))
        rest = rest.dropFirst()
      } else {
        pieces.append(.text("{"))
        rest = inside
      }
    }
    self.pieces = pieces + [.text(rest)]
  }

  /// The names of the places.
  var places: Set<String> {
    Set(pieces.compactMap { if case .place(let name) = $0 { name } else { nil } })
  }

  /// The page with a text in each place; HTML that is meant as such stays, everything else is escaped.
  ///
  /// - Parameter content: What a place gets; nil for nothing.
  /// - Returns: The page.
  func filled(_ content: (String) -> PageText?) -> String {
    pieces.reduce(into: "") { page, piece in
      switch piece {
      case .text(let text): page += text
      case .place(let name): page += content(name)?.html ?? ""
      }
    }
  }
}

/// What takes a place in a page.
struct PageText: Sendable, ExpressibleByStringLiteral {
  /// As HTML.
  let html: String

  /// A text, whoever has written it.
  ///
  /// - Parameter text: The text.
  init(_ text: String) {
    html = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }

  init(stringLiteral text: String) { self.init(text) }

  /// HTML of the program's own, in which nothing is a visitor's that is not escaped.
  init(html: String) { self.html = html }
}
