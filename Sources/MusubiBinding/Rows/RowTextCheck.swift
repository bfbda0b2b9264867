// SPDX-License-Identifier: Apache-2.0
import MusubiWire
@_spi(Reflection) import Swift

extension ScreenBuilder {
  /// A sentence about a name that would be a two-way text in the rows of two lists; nil if there is none.
  ///
  /// An input from a row tells its name and the row's id, and not the list. Looked for where a server starts: in the
  /// types of the rows, and in the rows that are there already.
  var ambiguousRowText: String? {
    let outputs = Set(board.slots.map(\.name))
    let rows = lists.map { ($0.name, $0.row) } + zip(windows, windowRows).map { ($0.name, $1) }
    let lists = rows.flatMap { name, row in Self.texts(ofRows: row, in: name) }
    let shown = board.slots.flatMap { slot in Self.texts(in: slot.value, of: slot.name) }
    var owners: [String: Set<String>] = [:]
    for (list, text) in lists + shown { owners[text, default: []].insert(list) }
    // The rows of a ViewModel's list know their inputs.
    for input in inputs where !input.isOfRows && !outputs.contains(input.name) {
      guard let owners = owners[input.name], owners.count > 1,
        Self.takesText(input)
      else { continue }
      let named = owners.sorted().map { "\"\($0)\"" }.joined(separator: " and ")
      return "the rows of the lists \(named) both have a text \"\(input.name)\", and the input "
        + "\"\(input.name)\" would be of either: give one of them another name."
    }
    return nil
  }

  /// Whether an input takes typing into a row's text.
  static func takesText(_ input: InputSlot) -> Bool { ids.contains { input.takesText(fromRow: [$0]) } }

  /// Ids as authors may have them.
  private static let ids = ["0", "00000000-0000-0000-0000-000000000000"]

  /// The texts that rows of a type have, and those of the lists inside of them.
  static func texts(
    ofRows row: Any.Type, in list: String, depth: Int = 0
  ) -> [(list: String, text: String)] {
    var texts: [(list: String, text: String)] = []
    // Bit 1: types that cannot be looked into have no fields.
    _ = _forEachField(of: row, options: _EachFieldOptions(rawValue: 2)) { name, _, type, _ in
      let name = String(cString: name)
      if type == String.self || type == String?.self {
        texts.append((list, name))
      } else if let rows = type as? any RowsElement.Type, depth < 4 {
        // Rows may have rows of their own type.
        texts += Self.texts(ofRows: rows.rowType, in: "\(list)/\(name)", depth: depth + 1)
      }
      return true
    }
    return texts
  }

  /// The texts of the rows in a value.
  private static func texts(in value: Value?, of list: String) -> [(list: String, text: String)] {
    guard case .array(let rows) = value else { return [] }
    return rows.flatMap { row -> [(list: String, text: String)] in
      guard case .object(let members) = row, row["id"] != nil else { return [] }
      return members.flatMap { member in
        member.value.stringValue == nil
          ? texts(in: member.value, of: "\(list)/\(member.key)") : [(list, member.key)]
      }
    }
  }
}
