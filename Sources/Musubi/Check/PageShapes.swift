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
    guard name.hasPrefix("data-bind-"), name != "data-bind-file" else { return nil }
    if let dialog = element.ancestors.compactMap({ $0["data-dialog"] }).first {
      // Nobody can tell what a question has; its controls send inputs.
      return untaken(name, value, on: element, of: dialog)
    }
    let lists = Array(element.ancestors.compactMap { $0["data-bind-each"] }.reversed())
    let rows = rows(of: lists)
    // A dot is the row itself.
    let path =
      value == "." ? [] : value.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    if let list = lists.last {
      if PageRules.sends(name), schema.inputs.contains(where: { $0.name == value }) { return nil }
      if let finding = untaken(name, value, on: element, of: lists.first ?? list) { return finding }
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

  /// A control in a row or a dialog whose value nobody takes.
  ///
  /// - Parameters:
  ///   - name: The attribute.
  ///   - value: Its value.
  ///   - element: Where it stands.
  ///   - output: The list, or the dialog.
  /// - Returns: The kind and one sentence; nil if somebody takes it.
  private func untaken(
    _ name: String, _ value: String, on element: PageElement, of output: String
  ) -> (PageFinding.Kind, String)? {
    let inputs = schema.inputs.map(\.name)
    guard name == "data-bind-value" || name == "data-bind-checked", !element.tag.contains("-"),
      !inputs.contains(value),
      !["readonly", "disabled", "data-on-input", "data-on-change"].contains(where: { element[$0] != nil })
    else { return nil }
    let problem = "the screen \"%\" has no input of that name, so nobody takes what is entered."
    // The list or the dialog of a component: `homeAskName` and `homeNewName` of `newName`.
    let member = value.prefix(1).uppercased() + value.dropFirst()
    let own = inputs.filter { $0.hasSuffix(member) && output.hasPrefix($0.dropLast(member.count)) }
    guard let input = own.max(by: { $0.count < $1.count }) else {
      return (.unknownName, problem + PageInspection.hint(inputs.nearest(to: value)))
    }
    return (
      .unknownName,
      problem
        + " The component's input is \"\(input.prefix(80))\", and names of a row or a dialog get no "
        + "prefix: send it by data-on-change without \(name), or make the rows ViewModels."
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
