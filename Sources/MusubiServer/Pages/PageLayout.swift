// SPDX-License-Identifier: Apache-2.0

/// A page whose `<main>` and `<head>` other pages fill.
struct PageLayout {
  private let text: PageText
  private let elements: [PageElement]

  init(_ text: PageText) {
    self.text = text
    elements = PageReader.elements(of: text.bytes)
  }

  /// The page with the layout around it: the content of its `<body>`, which is its `<main>` and what stands beside that, in
  /// the place of the layout's `<main>`, the children of its `<head>` among the layout's, and the attributes of its `<html>`
  /// and `<body>`.
  ///
  /// - Throws: `PageProblem` if either lacks one of these elements.
  func filled(with page: PageText) throws(PageProblem) -> PageText {
    let own = PageReader.elements(of: page.bytes)
    let (html, head, body, main) = try Self.frame(of: text, elements)
    let (pageHTML, pageHead, pageBody, _) = try Self.frame(of: page, own)
    if html["data-layout"] != nil {
      throw PageProblem(place: text.place(at: html.start), message: "a layout has no layout of its own.")
    }
    if let fragment = elements.first(where: { $0["data-fragment"] != nil }) {
      throw PageProblem(
        place: text.place(at: fragment.start),
        message: "a layout has no fragments; write them into another file that begins with _.")
    }
    var result = PageText()
    result.append(text, 0..<html.start)
    result.appendTag(html, of: text, with: pageHTML, of: page)
    result.append(text, html.tagEnd..<head.tagEnd)
    var rest = own.filter { $0.parent == pageHead }
    var done = head.tagEnd
    for child in elements where child.parent == head {
      guard let index = rest.firstIndex(where: { Self.isSame($0, page, child, text) }) else { continue }
      result.append(text, done..<child.start)
      result.append(page, rest[index].start..<rest[index].end)
      rest.remove(at: index)
      done = child.end
    }
    result.append(text, done..<head.contentEnd)
    for child in rest {
      result.append("  ", at: page.place(at: child.start))
      result.append(page, child.start..<child.end)
      result.append("\n  ", at: page.place(at: child.start))
    }
    result.append(text, head.contentEnd..<body.start)
    result.appendTag(body, of: text, with: pageBody, of: page)
    result.append(text, body.tagEnd..<main.start)
    result.append(page, page.trimmed(pageBody.tagEnd..<pageBody.contentEnd))
    result.append(text, main.end..<text.bytes.count)
    return result
  }

  /// The elements that a layout and its pages share: one of each, each in its place.
  private static func frame(
    of text: PageText, _ elements: [PageElement]
  ) throws(PageProblem) -> (html: PageElement, head: PageElement, body: PageElement, main: PageElement) {
    let (html, head) = (try one("html", in: text, elements), try one("head", in: text, elements))
    let (body, main) = (try one("body", in: text, elements), try one("main", in: text, elements))
    let parts = [
      (head, html.tagEnd <= head.start), (body, head.end <= body.start),
      (main, body.tagEnd <= main.start && main.end <= body.contentEnd),
    ]
    if let (part, _) = parts.first(where: { !$0.isClosed || !$1 }) {
      throw PageProblem(
        place: text.place(at: part.start),
        message:
          "<\(part.tag)> has no end tag, or stands elsewhere than <html><head></head><body><main></main></body>."
      )
    }
    return (html, head, body, main)
  }

  private static func one(
    _ tag: String, in text: PageText, _ elements: [PageElement]
  ) throws(PageProblem) -> PageElement {
    let found = elements.filter { $0.tag == tag }
    guard let element = found.first, found.count == 1 else {
      throw PageProblem(
        place: text.place(at: found.dropFirst().first?.start ?? 0),
        message: "a layout and its pages have one <\(tag)> each; here are \(found.count).")
    }
    return element
  }

  /// Whether a page's child of `<head>` takes the place of a layout's: what there is only once, or the same word for word.
  private static func isSame(
    _ one: PageElement, _ page: PageText, _ other: PageElement, _ layout: PageText
  ) -> Bool {
    guard one.tag == other.tag else { return false }
    if one.tag == "title" || one.tag == "base" { return true }
    if one.tag == "meta" {
      for name in ["name", "property", "http-equiv"] where one[name] != nil {
        return one[name] == other[name]
      }
      return one["charset"] != nil && other["charset"] != nil
    }
    return page.bytes[one.start..<one.end] == layout.bytes[other.start..<other.end]
  }
}

extension PageText {
  /// Adds a start tag with the attributes of two: those of the page win, and it is to blame for the tag.
  fileprivate mutating func appendTag(
    _ element: PageElement, of text: PageText, with own: PageElement, of page: PageText
  ) {
    append(page, own.start..<own.start + 1 + own.tag.utf8.count)
    for (attribute, range) in zip(own.attributes, own.ranges) where attribute.name != "data-layout" {
      append(" ", at: page.place(at: range.lowerBound))
      append(page, range)
    }
    for (attribute, range) in zip(element.attributes, element.ranges) where own[attribute.name] == nil {
      append(" ", at: text.place(at: range.lowerBound))
      append(text, range)
    }
    append(">", at: page.place(at: own.start))
  }
}
