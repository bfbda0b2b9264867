// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiServer
import MusubiText
import MusubiWire

/// Holds a page against the values that its screen begins with: what is a list, and what its rows have.
///
/// Types do not tell what a row has, because it may encode itself as it likes. A value that is missing says nothing, so a name is
/// only a mistake beside one that it resembles. The browser knows the same of later values (`shapes.js`).
struct PageShapes {
  let schema: ScreenSchema

  /// What is wrong with a name that shows a value; nil if nothing is, or nobody can tell.
  ///
  /// - Parameters:
  ///   - name: The attribute, such as `data-bind-text`.
  ///   - value: Its value.
  ///   - element: Where it stands.
  /// - Returns: The kind and one sentence.
  func finding(_ name: String, _ value: String, on element: PageElement) -> (PageFinding.Kind, String)? {
    guard name.hasPrefix("data-bind-"), name != "data-bind-file",
      !element.ancestors.contains(where: { $0["data-dialog"] != nil })
    else { return nil }
    let lists = element.ancestors.compactMap { $0["data-bind-each"] }
    let rows = rows(of: lists)
    // A dot is the row itself.
    let path =
      value == "." ? [] : value.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    if let list = lists.last {
      let isSent = ["data-bind-value", "data-bind-checked", "data-bind-selected"].contains(name)
      if isSent, schema.inputs.contains(where: { $0.name == value }) { return nil }
      if let finding = untaken(name, value, on: element) { return finding }
      let shapes = Set(rows.map { Set(Self.members(of: $0)) })
      // Rows that differ may have had something else at another time.
      guard shapes.count == 1, let members = shapes.first else { return nil }
      if let first = path.first, !members.contains(first) {
        let nearest = members.sorted().nearest(to: first)
        return nearest.isEmpty
          ? nil : (.unknownName, "no row of \"\(list)\" has it." + PageInspection.hint(nearest))
      }
    }
    let found = rows.lazy.compactMap { $0[JSONPointer(path)] }.first { $0 != .null }
    return found.flatMap { mismatch(name, value, $0) }
  }

  /// A value that the attribute cannot show.
  private func mismatch(_ name: String, _ value: String, _ found: Value) -> (PageFinding.Kind, String)? {
    let isText = name == "data-bind-text" || name == "data-bind-time"
    switch found {
    case .array where isText:
      return (.wrongType, "it is a list; write its rows into a <template data-bind-each=\"\(value)\">.")
    case .object where isText:
      let members = Self.members(of: found).joined(separator: ", ")
      return (.wrongType, "it has members; name one behind a dot: \(members).")
    case .bool, .integer, .number, .string:
      return name == "data-bind-each" ? (.wrongType, "it is no list, and has no rows.") : nil
    default: return nil
    }
  }

  /// A control in a row whose value nobody takes.
  private func untaken(
    _ name: String, _ value: String, on element: PageElement
  ) -> (PageFinding.Kind, String)? {
    guard name == "data-bind-value" || name == "data-bind-checked", !element.tag.contains("-"),
      !["readonly", "disabled", "data-on-input", "data-on-change"].contains(where: { element[$0] != nil })
    else { return nil }
    let inputs = schema.inputs.map(\.name)
    return (
      .unknownName,
      "the screen \"%\" has no input of that name, so nobody takes what is entered."
        + PageInspection.hint(inputs.nearest(to: value))
    )
  }

  /// The rows around an element, of all lists around it, the outermost first; outside of lists the screen itself.
  private func rows(of lists: [String]) -> [Value] {
    var samples = Value.Object()
    for (name, value) in schema.samples { samples[name] = value }
    return lists.reduce([.object(samples)]) { rows, list in
      let path = JSONPointer(list.split(separator: ".").map(String.init))
      return rows.flatMap { row -> [Value] in
        guard case .array(let inner) = row[path] else { return [] }
        return Array(inner)
      }
    }
  }

  private static func members(of value: Value) -> [String] {
    guard case .object(let members) = value else { return [] }
    return members.map(\.key)
  }
}
