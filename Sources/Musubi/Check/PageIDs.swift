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
  /// Where an element of the page comes from.
  let origin: (_ element: PageElement) -> PageOrigin?

  /// What is wrong with the elements that have an id of one before.
  func findings(in elements: [PageElement]) -> [(element: PageElement, message: String)] {
    var firsts: [Place: PageElement] = [:]
    var findings: [(element: PageElement, message: String)] = []
    for element in elements {
      guard let id = element["id"], !id.isEmpty,
        !element.ancestors.contains(where: { $0.tag == "template" && $0["data-bind-each"] == nil })
      else { continue }
      let own = Place(id: id, template: element.ancestors.first { $0.tag == "template" }?.start)
      if let first = firsts[own] {
        findings.append((element, message(own, first, element)))
      } else {
        firsts[own] = element
      }
    }
    return findings
  }

  private func message(_ own: Place, _ first: PageElement, _ second: PageElement) -> String {
    let word = "id=\"\(own.id.prefix(80))\": "
    let (there, here) = (origin(first), origin(second))
    if let there, let here, there.isSame(as: here) {
      return word + "\(file) has its fragment several times; give it a data-prefix there."
    }
    let place = there?.place ?? PagePlace(file: file, line: first.line)
    let line = place.file == here?.place.file ?? file ? "line \(place.line)" : "\(place.file):\(place.line)"
    return word + "\(line) has it, too; write each id once in a \(own.template == nil ? "page" : "template")."
  }
}
