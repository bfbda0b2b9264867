// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiServer
import MusubiText

/// Holds pages against the screens of an application, without a browser.
struct PageInspection {
  /// Which file shows which screen, and where.
  struct Route {
    let screen: String
    let path: String
    let file: String
  }

  /// The names of each screen.
  let schemas: [String: ScreenSchema]
  let routes: [Route]
  /// The screens that everybody in a room shares.
  let shared: Set<String>
  /// The paths of the program's own GET routes: the one at `/pane` may send `pane.html`.
  var ownPaths: Set<String> = []
  /// Where a line of a page comes from: the page itself, its layout or a fragment; nil if all of it is the page's own.
  var place: (_ line: Int, _ file: String) -> PagePlace? = { _, _ in nil }

  /// All findings, by the pages' files and lines, each where it comes from.
  ///
  /// - Parameter pages: The pages of the public folder: each file, relative to it, and its text.
  /// - Returns: The findings.
  func findings(in pages: [(file: String, text: String)]) -> [PageFinding] {
    let files = pages.map(\.file)
    let missing = routes.filter { !files.contains($0.file) }.map { route in
      PageFinding(
        kind: .missingPage, file: route.file, line: 1,
        message: "there is no such file, but it is the page of the screen \"\(route.screen)\"."
          + Self.hint(files.nearest(to: route.file)))
    }
    return missing
      + pages.flatMap { page in
        findings(in: page.text, of: page.file).map { $0.moved(to: place($0.line, page.file)) }
      }
  }

  private func findings(in text: String, of file: String) -> [PageFinding] {
    let elements = PageReader.elements(of: text)
    // Who serves a page of another server's screens says itself which names there are.
    guard !elements.contains(where: { $0.tag == "body" && $0["data-server"] != nil }) else { return [] }
    let labelled = Set(elements.filter { $0.tag == "label" }.compactMap { $0["for"] })
    let shown = routes.filter { $0.file == file }
    let named = elements.first { $0.tag == "body" }?["data-screen"] ?? Self.screen(atPath: "/" + file)
    let screens = shown.isEmpty ? [named] : shown.map(\.screen)
    let ids = PageIDs(file: file) { line in
      place(line, file) ?? PagePlace(file: file, line: line)
    }
    var findings = checkScreen(of: file, elements, shown) + ids.findings(in: elements)
    for element in elements {
      if PageRules.lacksLabel(element, labelled: labelled) {
        findings.append(
          PageFinding(
            kind: .missingLabel, file: file, line: element.line,
            message: "<\(element.tag)> has no label; write a <label> around it or for its id, or aria-label.")
        )
      }
      for attribute in element.attributes where attribute.name.hasPrefix("data-") {
        findings += check(attribute, of: element, for: screens).map { kind, message in
          PageFinding(kind: kind, file: file, line: element.line, message: message)
        }
      }
    }
    return findings.sorted { $0.line < $1.line }
  }

  /// Holds the screen that the client opens for a page against those that exist, and against the page's routes.
  private func checkScreen(
    of file: String, _ elements: [PageElement], _ shown: [Route]
  ) -> [PageFinding] {
    let body = elements.first { $0.tag == "body" }
    let named = body?["data-screen"]
    guard let line = named == nil ? elements.first(where: \.isBound)?.line : body?.line else { return [] }
    func finding(_ kind: PageFinding.Kind, _ message: String) -> PageFinding {
      PageFinding(kind: kind, file: file, line: line, message: message)
    }
    let opened = named ?? Self.screen(atPath: "/" + file)
    if schemas[opened] == nil, named != nil || shown.isEmpty {
      let reason =
        named == nil
        ? "no route shows this page, and it names no screen by data-screen."
        : "the application has no screen \"\(opened.prefix(80))\"."
      return [finding(.unknownScreen, reason + Self.hint(schemas.keys.sorted().nearest(to: opened)))]
    }
    guard !shown.isEmpty else {
      guard !ownPaths.contains("/" + file.replacing(/\.html$/, with: "")) else { return [] }
      let advice = "no route shows this page of the screen \"\(opened)\"; add one by screen(_:page:make:)."
      return [finding(.unusedPage, advice)]
    }
    return shown.compactMap { route in
      let opened = named ?? Self.screen(atPath: route.path)
      guard opened != route.screen else { return nil }
      let reason = named == nil ? "the first part of the address" : "data-screen"
      return finding(
        .wrongScreen,
        "the route \(route.path) shows the screen \"\(route.screen)\" by this page, but its client opens "
          + "\"\(opened)\" (\(reason)); write data-screen=\"\(route.screen)\".")
    }
  }

  /// The screen that the client opens at an address if the page names none.
  private static func screen(atPath path: String) -> String {
    String(path.dropFirst().prefix { $0 != "/" }.replacing(/\.html$/, with: ""))
  }

  private func check(
    _ attribute: (name: String, value: String), of element: PageElement, for screens: [String]
  ) -> [(PageFinding.Kind, String)] {
    let (name, value) = attribute
    if let nearest = PageRules.nearestAttributes(to: name) {
      return [(.unknownAttribute, "there is no attribute \(name.prefix(80))." + Self.hint(nearest))]
    }
    let place = "\(name)=\"\(value.prefix(80))\""
    if let reason = PageRules.idleness(of: name, on: element) {
      return [(.noEffect, "\(place) does nothing on <\(element.tag)>: \(reason).")]
    }
    var findings: [(PageFinding.Kind, String)] = []
    for screen in screens {
      guard let schema = schemas[screen] else { continue }
      if name.hasPrefix("data-bind-query"), shared.contains(screen) {
        findings.append(
          (
            .sharedAddress,
            "\(place): everybody in a room shares the screen \"\(screen)\", and each page has an address of its "
              + "own; give the screen the scope .session."
          ))
      }
      let finding =
        checkName(name, value, element, schema)
        ?? PageShapes(schema: schema).finding(name, value, on: element)
      if let (kind, message) = finding {
        findings.append((kind, "\(place): " + message.replacing("%", with: screen)))
      }
    }
    return findings
  }

  private func checkName(
    _ name: String, _ value: String, _ element: PageElement, _ schema: ScreenSchema
  ) -> (kind: PageFinding.Kind, message: String)? {
    let isInput = name.hasPrefix("data-on-") || name == "data-bind-file"
    guard isInput || name.hasPrefix("data-bind-"), isInput || !element.isInner else { return nil }
    let isBoth = ["data-bind-value", "data-bind-checked", "data-bind-selected"].contains(name)
    let inputs = schema.inputs.map(\.name)
    let names = isInput ? inputs : isBoth ? schema.shownOutputs + inputs : schema.shownOutputs
    // Behind a slash stands a part of a long list, as in `cards/done.count`.
    let first = value.prefix { $0 != "." && $0 != "/" }
    guard names.contains(value) || names.contains(String(first)) else {
      let kind = isInput ? "input" : "output"
      return (
        .unknownName,
        "the screen \"%\" has no \(kind) of that name." + Self.hint(Set(names).sorted().nearest(to: value))
      )
    }
    guard isInput || isBoth, let input = schema.inputs.first(where: { $0.name == value }),
      let reason = name == "data-bind-file"
        ? (schema.files[value] == nil ? "the control sends a file" : nil)
        : PageRules.mismatch(name, on: element, to: input.kind)
    else { return nil }
    return (.wrongType, "\(reason), but the input of the screen \"%\" takes \(input.kind.phrase).")
  }

  /// The names that somebody may have meant, as a sentence.
  static func hint(_ nearest: [String]) -> String {
    nearest.isEmpty ? "" : " Did you mean \(nearest.joined(separator: " or "))?"
  }
}
