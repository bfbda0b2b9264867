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
  /// Where an element of a page, or one of its attributes, comes from: the page itself, its layout or a
  /// fragment; nil if all of the page is its own.
  var origin: (_ element: PageElement, _ attribute: String?, _ file: String) -> PageOrigin? = { _, _, _ in nil
  }

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
    return missing + pages.flatMap { findings(in: $0.text, of: $0.file) }
  }

  private func findings(in text: String, of file: String) -> [PageFinding] {
    let elements = PageReader.elements(of: text)
    // Who serves a page of another server's screens says itself which names there are.
    guard !elements.contains(where: { $0.tag == "body" && $0["data-server"] != nil }) else { return [] }
    let labelled = Set(elements.filter { $0.tag == "label" }.compactMap { $0["for"] })
    let shown = routes.filter { $0.file == file }
    let named = elements.first { $0.tag == "body" }?["data-screen"] ?? Self.screen(atPath: "/" + file)
    let screens = shown.isEmpty ? [named] : shown.map(\.screen)
    let area = elements.first { $0.tag == "main" || $0["data-screen-root"] != nil }
    func fileOf(_ element: PageElement) -> String { origin(element, nil, file)?.place.file ?? file }
    let layout = elements.first { $0.tag == "head" }.map(fileOf).flatMap { $0 == file ? nil : $0 }
    var found: [(start: Int, finding: PageFinding)] = []
    func add(_ kind: PageFinding.Kind, _ message: String, _ element: PageElement, _ attribute: String? = nil)
    {
      let place =
        origin(element, attribute, file)?.place ?? PagePlace(file: file, line: element.line)
      let finding = PageFinding(kind: kind, file: place.file, line: place.line, message: message)
      found.append((element.start, finding))
    }
    for (kind, message, element) in checkScreen(of: file, elements, shown) {
      add(kind, message, element, "data-screen")
    }
    for (element, message) in PageIDs(file: file, origin: { origin($0, nil, file) }).findings(in: elements) {
      add(.duplicateID, message, element)
    }
    for element in elements {
      if PageRules.lacksLabel(element, labelled: labelled) {
        add(
          .missingLabel,
          "<\(element.tag)> has no label; write a <label> around it or for its id, or aria-label.", element)
      }
      // What a layout has beside the area is there on each of its pages.
      if let dialog = element["data-dialog"], let area, !element.ancestors.contains(area),
        fileOf(element) != layout
      {
        add(
          .noEffect,
          "data-dialog=\"\(dialog.prefix(80))\" stands outside of <\(area.tag)>, and only what is in "
            + "there comes along when the screen is navigated to; move it there.", element)
      }
      let fragment = origin(element, nil, file)?.fragment
      for attribute in element.attributes where attribute.name.hasPrefix("data-") {
        for (kind, message) in check(attribute, of: element, for: screens, in: fragment) {
          add(kind, message, element, attribute.name)
        }
      }
    }
    return found.sorted { $0.start < $1.start }.map(\.finding)
  }

  /// Holds the screen that the client opens for a page against those that exist, and against the page's routes.
  private func checkScreen(
    of file: String, _ elements: [PageElement], _ shown: [Route]
  ) -> [(PageFinding.Kind, String, PageElement)] {
    let body = elements.first { $0.tag == "body" }
    let named = body?["data-screen"]
    guard let element = named == nil ? elements.first(where: \.isBound) : body else { return [] }
    func finding(_ kind: PageFinding.Kind, _ message: String) -> (PageFinding.Kind, String, PageElement) {
      (kind, message, element)
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

  /// What is wrong with an attribute.
  ///
  /// - Parameters:
  ///   - attribute: The attribute.
  ///   - element: Its element.
  ///   - screens: The screens that the page shows.
  ///   - fragment: The fragment of the library that the element belongs to: no author mends its attributes.
  /// - Returns: Each mistake with its kind.
  private func check(
    _ attribute: (name: String, value: String), of element: PageElement, for screens: [String],
    in fragment: String?
  ) -> [(PageFinding.Kind, String)] {
    let (name, value) = attribute
    if let nearest = PageRules.nearestAttributes(to: name) {
      return [(.unknownAttribute, "there is no attribute \(name.prefix(80))." + Self.hint(nearest))]
    }
    let place = fragment.map { "data-use=\"\($0)\"" } ?? "\(name)=\"\(value.prefix(80))\""
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
        checkName(name, value, element, schema, fragment)
        ?? PageShapes(schema: schema).finding(name, value, on: element)
      if let (kind, message) = finding {
        findings.append((kind, "\(place): " + message.replacing("%", with: screen)))
      }
    }
    return findings
  }

  private func checkName(
    _ name: String, _ value: String, _ element: PageElement, _ schema: ScreenSchema, _ fragment: String?
  ) -> (kind: PageFinding.Kind, message: String)? {
    guard let (role, names) = PageRules.names(for: name, on: element, schema) else { return nil }
    // Behind a slash stands a part of a long list, as in `cards/done.count`.
    let first = String(value.prefix { $0 != "." && $0 != "/" })
    guard names.contains(value) || names.contains(first) else {
      let which = fragment == nil ? "no \(role) of that name" : "no \(role) \"\(first.prefix(80))\""
      let nearest = Set(names).sorted().nearest(to: fragment == nil ? value : first)
      return (.unknownName, "the screen \"%\" has \(which)." + Self.hint(nearest))
    }
    guard let input = schema.inputs.first(where: { $0.name == value }), PageRules.sends(name),
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
