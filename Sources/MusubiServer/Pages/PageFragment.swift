// SPDX-License-Identifier: Apache-2.0

/// The content of a `<template data-fragment="name">`.
struct PageFragment {
  let text: PageText
  let place: PagePlace
  /// Whether it belongs to the program, and no author has its file.
  let isLibrary: Bool

  /// The fragments of a file, by name.
  ///
  /// - Throws: `PageProblem` if one has no name, or stands in another one.
  static func all(
    in file: PageText, isLibrary: Bool = false
  ) throws(PageProblem) -> [(name: String, fragment: PageFragment)] {
    var found: [(name: String, fragment: PageFragment)] = []
    for element in PageReader.elements(of: file.bytes) {
      guard let name = element["data-fragment"] else { continue }
      let place = file.place(at: element.start)
      guard element.tag == "template", !name.isEmpty,
        !element.ancestors.contains(where: { $0["data-fragment"] != nil })
      else {
        throw PageProblem(
          place: place,
          message: "data-fragment takes a name, on a <template> that stands in no other fragment.")
      }
      var text = PageText()
      text.append(file, element.tagEnd..<element.contentEnd)
      found.append((name, PageFragment(text: text, place: place, isLibrary: isLibrary)))
    }
    return found
  }
}

/// What stands before the names of a fragment, so that it can be there several times: `home` makes `homePoints` of
/// `points`.
struct PagePrefix {
  /// The attributes that name something of the screen, also in a row or a dialog.
  private static let names: Set<String> = [
    "data-event-text", "data-dialog", "data-window-filter", "data-bind-file",
  ]
  /// The attributes that hold ids and nothing else; in rows the client changes the same ones (`ids/own.js`).
  static let identifiers: Set<String> = [
    "id", "for", "list", "form", "headers", "itemref", "popovertarget", "interesttarget", "commandfor",
    "interestfor", "aria-activedescendant", "aria-controls", "aria-describedby", "aria-details",
    "aria-errormessage", "aria-flowto", "aria-labelledby", "aria-owns",
  ]

  private let word: String
  /// Whether the fragment fills a row or a dialog, so that its names are members of a value.
  private let isInner: Bool

  /// - Throws: `PageProblem` if it cannot begin a name.
  init(_ word: String, isInner: Bool, at place: PagePlace) throws(PageProblem) {
    let isName = word.utf8.allSatisfy { (65...90).contains($0 & 0xDF) || (48...57).contains($0) }
    guard isName, word.utf8.first.map({ (97...122).contains($0) }) ?? true else {
      throw PageProblem(
        place: place,
        message:
          "data-prefix=\"\(word.prefix(80))\" begins no name; it has letters and digits, and begins with a small letter."
      )
    }
    self.word = word
    self.isInner = isInner
  }

  /// The text with other names and ids.
  func applied(to text: PageText) -> PageText {
    guard !word.isEmpty else { return text }
    let elements = PageReader.elements(of: text.bytes)
    let ids = Set(elements.compactMap { $0["id"] })
    var result = PageText()
    var done = 0
    for element in elements {
      for (attribute, range) in zip(element.attributes, element.valueRanges) where !attribute.value.isEmpty {
        guard let value = changed(attribute, of: element, ids) else { continue }
        result.append(text, done..<range.lowerBound)
        result.append(value, at: text.place(at: range.lowerBound))
        done = range.upperBound
      }
    }
    result.append(text, done..<text.bytes.count)
    return result
  }

  private func changed(
    _ attribute: (name: String, value: String), of element: PageElement, _ ids: Set<String>
  ) -> String? {
    let (name, value) = attribute
    if Self.identifiers.contains(name) {
      let parts = value.split(whereSeparator: \.isWhitespace).map(String.init)
      guard parts.contains(where: ids.contains) else { return nil }
      return parts.map { ids.contains($0) ? "\(word)-\($0)" : $0 }.joined(separator: " ")
    }
    if name == "href" || name == "xlink:href" {
      guard value.hasPrefix("#"), ids.contains(String(value.dropFirst())) else { return nil }
      return "#\(word)-\(value.dropFirst())"
    }
    if value.contains("url(") {
      // A colour, a marker or a mask of a picture; a quote may be written as HTML has it.
      return value.replacing(/(url\(\s*(?:["']|&quot;|&apos;|&#39;)?#)([^"'&)\s]+)/) { found in
        ids.contains(String(found.2)) ? "\(found.1)\(word)-\(found.2)" : String(found.0)
      }
    }
    // Radio buttons of one name are a group, and a filter's name is a parameter of the page's address.
    if name == "name", element["type"]?.lowercased() == "radio" || element["data-window-filter"] != nil {
      return "\(word)-\(value)"
    }
    // Names inside of a row or a dialog are members of its value; inputs are the screen's.
    let isName =
      name.hasPrefix("data-on-") || Self.names.contains(name)
      || (name.hasPrefix("data-bind-") && !isInner && !element.isInner)
    guard isName, let first = value.first, first.isLetter else { return nil }
    return word + first.uppercased() + value.dropFirst()
  }
}
