// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiServer

/// Finds ids that a page has several times, also in the rows of its lists.
///
/// The client writes a row's id behind those of its template, and the ids of the rows around it before that. So an id is there
/// twice if two elements of the same lists have it, or of lists whose rows have the same ids. A list tells its rows' ids only by
/// the values that its screen begins with. What stands in a `<template>` that is no list's is on no page.
struct PageIDs {
  private struct Place {
    /// What makes the rows around the element: the dialog, if it stands in one, and the lists, the outermost first.
    let dialog: String?
    let lists: [String]
    let line: Int
  }

  let file: String
  /// The screens that the page may show.
  let schemas: [ScreenSchema]
  /// Where a line of the page comes from.
  let place: (_ line: Int) -> PagePlace

  /// A finding for each id that an element before has.
  func findings(in elements: [PageElement]) -> [PageFinding] {
    var known: [String: [Place]] = [:]
    var findings: [PageFinding] = []
    for element in elements {
      let templates = element.ancestors.filter { $0.tag == "template" }
      let lists = templates.compactMap { $0["data-bind-each"] }
      guard let id = element["id"], !id.isEmpty, lists.count == templates.count else { continue }
      let dialog = element.ancestors.last { $0["data-dialog"] != nil }?["data-dialog"]
      let own = Place(dialog: lists.isEmpty ? nil : dialog, lists: lists, line: element.line)
      if let first = known[id, default: []].first(where: { meets($0, own) }) {
        findings.append(
          PageFinding(
            kind: .duplicateID, file: file, line: own.line, message: message(id, first.line, own.line)))
      } else {
        known[id, default: []].append(own)
      }
    }
    return findings
  }

  private func message(_ id: String, _ first: Int, _ second: Int) -> String {
    let (there, here) = (place(first), place(second))
    let word = "id=\"\(id.prefix(80))\": "
    guard there != here || first == second else {
      return word + "\(file) has its fragment several times; give it a data-prefix there."
    }
    let line = there.file == here.file ? "line \(there.line)" : "\(there.file):\(there.line)"
    return word + "\(line) has it, too; write each id once in a page."
  }

  /// Whether elements of the same id at two places get the same id on the page.
  private func meets(_ one: Place, _ other: Place) -> Bool {
    guard one.lists.count == other.lists.count else { return false }
    if one.dialog == other.dialog, one.lists == other.lists { return true }
    // What a dialog has is not known.
    guard one.dialog == nil, other.dialog == nil else { return false }
    return schemas.contains { schema in
      let shapes = PageShapes(schema: schema)
      return !shapes.rowIDs(of: one.lists).isDisjoint(with: shapes.rowIDs(of: other.lists))
    }
  }
}
