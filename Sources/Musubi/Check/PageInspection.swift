// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiServer
import MusubiText

/// Holds pages against the screens of an application, without a browser.
struct PageInspection {
  /// The names of each screen.
  let schemas: [String: ScreenSchema]
  /// Which file shows which screen.
  let routes: [(screen: String, file: String)]
  /// The screens that everybody in a room shares.
  let shared: Set<String>

  /// All findings, by file and line.
  ///
  /// - Parameter pages: The pages of the public folder: each file, relative to it, and its text.
  /// - Returns: The findings.
  func findings(in pages: [(file: String, text: String)]) -> [PageFinding] {
    let files = pages.map(\.file)
    let missing = routes.filter { !files.contains($0.file) }.map { route in
      PageFinding(
        kind: .missingPage, file: route.file, line: 1,
        message: "there is no such file, but it is the page of the screen \"\(route.screen)\"."
          + hint(files.nearest(to: route.file)))
    }
    return missing + pages.flatMap { findings(in: $0.text, of: $0.file) }
  }

  private func findings(in text: String, of file: String) -> [PageFinding] {
    let elements = PageReader.elements(of: text)
    // Who serves a page of another server's screens says itself which names there are.
    guard !elements.contains(where: { $0["data-server"] != nil }) else { return [] }
    let labelled = Set(elements.filter { $0.tag == "label" }.compactMap { $0["for"] })
    var findings: [PageFinding] = []
    var screens = routes.filter { $0.file == file }.map(\.screen)
    for element in elements {
      guard let screen = element["data-screen"] else { continue }
      if schemas[screen] == nil {
        findings.append(
          PageFinding(
            kind: .unknownScreen, file: file, line: element.line,
            message: "the application has no screen \"\(screen.prefix(80))\"."
              + hint(schemas.keys.sorted().nearest(to: screen))))
      } else if screens.isEmpty {
        findings.append(
          PageFinding(
            kind: .unusedPage, file: file, line: element.line,
            message: "no route shows this page; add one by screen(_:page:make:), or take data-screen away."))
        screens.append(screen)
      }
    }
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

  private func check(
    _ attribute: (name: String, value: String), of element: PageElement, for screens: [String]
  ) -> [(PageFinding.Kind, String)] {
    let (name, value) = attribute
    if let nearest = PageRules.nearestAttributes(to: name) {
      return [(.unknownAttribute, "there is no attribute \(name.prefix(80))." + hint(nearest))]
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
      if let finding = checkName(name, value, element, schema) {
        findings.append((finding.kind, "\(place): " + finding.message.replacing("%", with: screen)))
      }
    }
    return findings
  }

  private func checkName(
    _ name: String, _ value: String, _ element: PageElement, _ schema: ScreenSchema
  ) -> (kind: PageFinding.Kind, message: String)? {
    let isInput = name.hasPrefix("data-on-")
    guard isInput || name.hasPrefix("data-bind-"), isInput || !element.isInner else { return nil }
    let isBoth = name == "data-bind-value" || name == "data-bind-checked"
    let inputs = schema.inputs.map(\.name)
    let names = isInput ? inputs : isBoth ? schema.outputs + inputs : schema.outputs
    let first = value.prefix { $0 != "." }
    guard names.contains(value) || names.contains(String(first)) else {
      let kind = isInput ? "input" : "output"
      return (
        .unknownName,
        "the screen \"%\" has no \(kind) of that name." + hint(Set(names).sorted().nearest(to: value))
      )
    }
    guard isInput || isBoth, let input = schema.inputs.first(where: { $0.name == value }),
      let reason = PageRules.mismatch(name, on: element, to: input.kind)
    else { return nil }
    return (.wrongType, "\(reason), but the input of the screen \"%\" takes \(input.kind.phrase).")
  }

  private func hint(_ nearest: [String]) -> String {
    nearest.isEmpty ? "" : " Did you mean \(nearest.joined(separator: " or "))?"
  }
}
