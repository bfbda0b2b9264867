// SPDX-License-Identifier: Apache-2.0

/// Which elements a start tag ends, because HTML lets their end tags be left out.
///
/// Source: the HTML standard, sections 13.1.2.4 (optional tags) and 13.2.6.4 (the rules for parsing tokens).
struct OptionalTags {
  /// The elements that it ends, with all that stands in them.
  let ended: Set<String>
  /// The elements that it does not look beyond.
  let limits: Set<String>

  /// The rules of a start tag, in the order in which they are followed.
  static func rules(of tag: String) -> [OptionalTags] { all[tag] ?? [] }

  private static let all: [String: [OptionalTags]] = {
    var all: [String: [OptionalTags]] = [:]
    func add(_ tags: [String], _ ended: Set<String>, limits: Set<String>) {
      for tag in tags { all[tag, default: []].append(OptionalTags(ended: ended, limits: limits)) }
    }
    add(endsParagraph, ["p"], limits: buttonScope)
    add(["li"], ["li"], limits: special)
    add(["dt", "dd"], ["dt", "dd"], limits: special)
    add(["rt", "rp"], ["rt", "rp"], limits: ["ruby", "template"])
    add(["option"], ["option"], limits: ["optgroup", "select", "datalist", "template"])
    add(["optgroup", "hr"], ["option", "optgroup"], limits: ["select", "template"])
    let cells: Set = ["td", "th", "caption", "colgroup"]
    let parts: Set = ["thead", "tbody", "tfoot"]
    let table: Set = ["table", "template", "html"]
    add(["colgroup"], ["caption", "colgroup"], limits: table)
    add(["td", "th"], cells, limits: table.union(parts).union(["tr"]))
    add(["tr"], cells.union(["tr"]), limits: table.union(parts))
    add(Array(parts), cells.union(parts).union(["tr"]), limits: table)
    return all
  }()

  private static let endsParagraph = [
    "address", "article", "aside", "blockquote", "center", "dd", "details", "dialog", "dir", "div", "dl",
    "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
    "hgroup", "hr", "li", "main", "menu", "nav", "ol", "p", "pre", "search", "section", "summary", "table",
    "ul",
  ]

  private static let buttonScope: Set<String> = [
    "applet", "button", "caption", "desc", "foreignobject", "html", "marquee", "object", "select", "table",
    "td", "template", "th", "title",
  ]

  /// The elements of the category "special" that have content, without `<address>`, `<div>` and `<p>`.
  private static let special: Set<String> = [
    "applet", "article", "aside", "blockquote", "body", "button", "caption", "center", "colgroup", "dd",
    "desc", "details", "dir", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "foreignobject",
    "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hgroup", "html", "iframe", "li", "main",
    "marquee", "menu", "nav", "noscript", "object", "ol", "pre", "search", "section", "select", "summary",
    "table", "tbody", "td", "template", "tfoot", "th", "thead", "title", "tr", "ul",
  ]
}
