// SPDX-License-Identifier: Apache-2.0

/// Puts pages together from layouts and fragments, so that browsers get plain HTML.
///
/// A file whose name begins with `_` is a part: no visitor gets it by itself. It is a layout, or has fragments:
/// `<template data-fragment="card">`. A page without `data-layout` and `data-use` is sent as it is.
package struct PageComposer {
  private let files: [String: [UInt8]]
  private let fragments: [String: PageFragment]
  /// What is wrong with the parts: fragments that are broken, or have the name of another one.
  package let problems: [PageProblem]

  /// Reads the fragments of the parts.
  ///
  /// - Parameters:
  ///   - files: The HTML files of a folder, by their paths in it.
  ///   - library: Parts with fragments that each folder has; a fragment of the folder may have the name of one.
  package init(_ files: [String: [UInt8]], library: [String: [UInt8]] = [:]) {
    self.files = files
    var fragments: [String: PageFragment] = [:]
    var problems: [PageProblem] = []
    for (path, bytes) in files.sorted(by: { $0.key < $1.key }) where Self.isPart(path) {
      do throws(PageProblem) {
        for (name, fragment) in try PageFragment.all(in: PageText(bytes, of: path)) {
          guard let other = fragments.updateValue(fragment, forKey: name) else { continue }
          problems.append(
            PageProblem(
              place: fragment.place,
              message:
                "\(other.place.file):\(other.place.line) has a fragment \"\(name)\", too; give one another name."
            ))
        }
      } catch {
        problems.append(error)
      }
    }
    for (path, bytes) in library {
      do throws(PageProblem) {
        fragments.merge(try PageFragment.all(in: PageText(bytes, of: path), isLibrary: true)) { own, _ in own
        }
      } catch {
        problems.append(error)
      }
    }
    (self.fragments, self.problems) = (fragments, problems)
  }

  /// Whether a file is a part of pages, and none itself.
  package static func isPart(_ path: String) -> Bool {
    path.hasSuffix(".html") && path.split(separator: "/").last?.hasPrefix("_") == true
  }

  /// A page as it is sent.
  ///
  /// - Parameter path: The page's file.
  /// - Returns: Its text, and where its elements come from: nil if all are its own.
  /// - Throws: `PageProblem` with the place to blame.
  package func page(_ path: String) throws(PageProblem) -> (bytes: [UInt8], origins: PageOrigins?) {
    var text = PageText(files[path] ?? [], of: path)
    let elements = PageReader.elements(of: text.bytes)
    let html = elements.first { $0.tag == "html" && $0["data-layout"] != nil }
    guard html != nil || elements.contains(where: { $0["data-use"] != nil }) else { return (text.bytes, nil) }
    if let html, let name = html["data-layout"] {
      text = try PageLayout(try layout(name, of: text, at: html.start)).filled(with: text)
    }
    text = try expanded(text, inside: [], isInner: false)
    return (text.bytes, text.origins)
  }

  private func layout(_ name: String, of page: PageText, at offset: Int) throws(PageProblem) -> PageText {
    let place = page.place(at: offset)
    var folders = name.hasPrefix("/") ? [] : place.file.split(separator: "/").dropLast().map(String.init)
    for step in name.split(separator: "/") where step != "." {
      if step != ".." {
        folders.append(String(step))
      } else if folders.popLast() == nil {
        throw PageProblem(
          place: place, message: "data-layout=\"\(name.prefix(80))\" leads out of the folder with the pages.")
      }
    }
    let path = folders.joined(separator: "/")
    guard let bytes = files[path], Self.isPart(path) else {
      let known = files.keys.filter(Self.isPart).sorted()
      throw PageProblem(
        place: place,
        message:
          "there is no layout \"\(path.prefix(80))\"; a layout's file begins with _ and ends with .html"
          + (known.isEmpty ? "." : ": \(known.prefix(5).joined(separator: ", "))."))
    }
    return PageText(bytes, of: path)
  }

  /// The text with each `data-use` filled by its fragment.
  ///
  /// - Parameters:
  ///   - text: A page, or the text of a fragment.
  ///   - names: The fragments that it is in.
  ///   - isInner: Whether these are in a row or a dialog.
  /// - Returns: The text.
  /// - Throws: `PageProblem` with the place to blame.
  private func expanded(
    _ text: PageText, inside names: [String], isInner: Bool
  ) throws(PageProblem) -> PageText {
    let elements = PageReader.elements(of: text.bytes)
    guard elements.contains(where: { $0["data-use"] != nil }) else { return text }
    var result = PageText()
    var done = 0
    for element in elements where element.start >= done {
      guard let name = element["data-use"] else { continue }
      let place = text.place(at: element.start)
      guard let fragment = fragments[name] else {
        let known = fragments.keys.sorted().prefix(5).joined(separator: ", ")
        throw PageProblem(
          place: place,
          message: "there is no fragment \"\(name.prefix(80))\""
            + (known.isEmpty
              ? "; write a <template data-fragment> into a file that begins with _."
              : "; there are \(known)."))
      }
      guard !names.contains(name) else {
        throw PageProblem(
          place: place,
          message: "the fragment \"\(name)\" uses itself: \((names + [name]).joined(separator: ", ")).")
      }
      guard element.isClosed, text.trimmed(element.tagEnd..<element.contentEnd).isEmpty else {
        throw PageProblem(
          place: place,
          message:
            "data-use=\"\(name)\" fills an empty element with an end tag, such as <p data-use=\"\(name)\"></p>."
        )
      }
      let isInner = isInner || element.isInner || element.hasInner
      let prefix = try PagePrefix(element["data-prefix"] ?? "", isInner: isInner, at: place)
      result.append(text, done..<element.start)
      result.appendTag(of: element, in: text) { $0 != "data-use" && $0 != "data-prefix" }
      let content = prefix.applied(
        to: try expanded(fragment.text, inside: names + [name], isInner: isInner))
      if fragment.isLibrary {
        result.append(content, ofLibrary: name, at: place)
      } else {
        result.append(content, 0..<content.bytes.count)
      }
      done = element.contentEnd
      guard result.bytes.count <= PageText.maxBytes else {
        throw PageProblem(place: place, message: "the page grows beyond \(PageText.maxBytes) bytes.")
      }
    }
    result.append(text, done..<text.bytes.count)
    return result
  }
}

extension PageText {
  /// Adds an element's start tag with some of its attributes.
  mutating func appendTag(of element: PageElement, in text: PageText, keeping isKept: (String) -> Bool) {
    var done = element.start
    for (attribute, range) in zip(element.attributes, element.ranges) where !isKept(attribute.name) {
      // With a space before it.
      append(text, done..<max(done, range.lowerBound - (text.bytes[range.lowerBound - 1] > 32 ? 0 : 1)))
      done = range.upperBound
    }
    append(text, done..<element.tagEnd)
  }
}
