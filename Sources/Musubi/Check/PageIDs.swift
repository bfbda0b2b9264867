// SPDX-License-Identifier: Apache-2.0
import MusubiServer

/// Finds ids that the page itself, or one template of a list, has several times.
///
/// The client gives the rows of each list ids of their own, also where several templates of a page have the same id. So an id is
/// there twice only if two elements of one template have it, or two outside of templates. A template inside another one counts
/// for itself. What stands in a `<template>` that is no list's is on no page.
struct PageIDs {
  /// An id, and where it may stand once.
  private struct Place: Hashable {
    let id: String
    /// Where the innermost list's template around it begins; nil outside of templates.
    let template: Int?
  }

  let file: String
  /// Where a line of the page comes from.
  let place: (_ line: Int) -> PagePlace

  /// A finding for each id that an element before has.
  func findings(in elements: [PageElement]) -> [PageFinding] {
    var lines: [Place: Int] = [:]
    var findings: [PageFinding] = []
    for element in elements {
      let templates = element.ancestors.filter { $0.tag == "template" }
      guard let id = element["id"], !id.isEmpty, templates.allSatisfy({ $0["data-bind-each"] != nil }) else {
        continue
      }
      let own = Place(id: id, template: templates.last?.start)
      if let first = lines[own] {
        findings.append(
          PageFinding(
            kind: .duplicateID, file: file, line: element.line, message: message(own, first, element.line)))
      } else {
        lines[own] = element.line
      }
    }
    return findings
  }

  private func message(_ own: Place, _ first: Int, _ second: Int) -> String {
    let (there, here) = (place(first), place(second))
    let word = "id=\"\(own.id.prefix(80))\": "
    guard there != here || first == second else {
      return word + "\(file) has its fragment several times; give it a data-prefix there."
    }
    let line = there.file == here.file ? "line \(there.line)" : "\(there.file):\(there.line)"
    return word + "\(line) has it, too; write each id once in a \(own.template == nil ? "page" : "template")."
  }
}
