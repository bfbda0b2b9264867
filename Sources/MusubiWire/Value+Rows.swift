// SPDX-License-Identifier: Apache-2.0
import MusubiText

/// Rows of lists, which are named by their ids: the way to a text in a row is `[id, list, id, …, name]`, and a page's
/// patches go there by places.
extension Value {
  /// Whether this is a row of that id.
  private func isRow(_ id: String) -> Bool {
    guard let found = self["id"] else { return false }
    return found.stringValue?.hasSameBytes(as: id) ?? (found.intValue.map(String.init) == id)
  }

  /// The place of a row in this list.
  private func place(ofRow id: String, near hint: Int?) -> Int? {
    guard case .array(let rows) = self else { return nil }
    if let hint, hint < rows.count, rows[hint].isRow(id) { return hint }
    return rows.firstIndex { $0.isRow(id) }
  }

  /// Whether this list has a row with the first id, that row one with the next, and so on.
  package func hasRow(_ ids: ArraySlice<String>) -> Bool {
    guard let id = ids.first, let place = place(ofRow: id, near: nil), case .array(let rows) = self else {
      return false
    }
    guard ids.count > 1, case .object(let members) = rows[place] else { return ids.count == 1 }
    return members.contains { $0.value.hasRow(ids.dropFirst()) }
  }

  /// The list in a row of this one, or this one itself.
  ///
  /// - Parameter way: Ids, each with the name of the list in that row; empty for this list.
  /// - Returns: The list; nil if there is none.
  package func list(at way: ArraySlice<String>) -> Value? {
    guard case .array(let rows) = self else { return Optional.none }
    guard let id = way.first else { return self }
    guard let place = place(ofRow: id, near: nil), let name = way.dropFirst().first else {
      return Optional.none
    }
    return rows[place][name]?.list(at: way.dropFirst(2))
  }

  /// The way to a text in a row of this list.
  ///
  /// - Parameters:
  ///   - name: The text's name.
  ///   - ids: The ids of the rows that it is in, outermost first.
  /// - Returns: The ids, with the names of the lists between them, and the text's name; nil if there is no such text.
  package func way(toText name: String, inRows ids: ArraySlice<String>) -> [String]? {
    guard let id = ids.first, let place = place(ofRow: id, near: nil), case .array(let rows) = self,
      case .object(let members) = rows[place]
    else { return nil }
    if ids.count == 1 { return members[name]?.stringValue == nil ? nil : [id, name] }
    for member in members {
      if let rest = member.value.way(toText: name, inRows: ids.dropFirst()) {
        return [id, member.key] + rest
      }
    }
    return nil
  }

  /// The same way by places instead of ids.
  ///
  /// - Parameters:
  ///   - way: The way by ids.
  ///   - hint: The way by places as it was, which is tried first.
  /// - Returns: The way by places; nil if there is no such row, or no such text in it.
  package func places(of way: ArraySlice<String>, near hint: ArraySlice<String> = []) -> [String]? {
    guard let id = way.first, let place = place(ofRow: id, near: hint.first.flatMap { Int($0) }),
      case .array(let rows) = self, let member = way.dropFirst().first, let value = rows[place][member]
    else { return nil }
    if way.count == 2 { return value.stringValue == nil ? nil : ["\(place)", member] }
    guard let rest = value.places(of: way.dropFirst(2), near: hint.dropFirst(2)) else { return nil }
    return ["\(place)", member] + rest
  }

  /// An id as it stands in the names of rows: a text as it is, a whole number by its digits; nil for what is no id.
  package var idText: String? { stringValue ?? intValue.map(String.init) }

  /// The way by ids, with the names of the lists between them, that leads where a way by places does.
  ///
  /// - Parameter places: The way to a row, or to a member of one.
  /// - Returns: The way by ids; nil if it does not lead through rows.
  package func way(byPlaces places: ArraySlice<String>) -> [String]? {
    guard let token = places.first else { return [] }
    guard case .array(let rows) = self, let place = JSONPointer.index(token), place < rows.count,
      let text = rows[place]["id"]?.idText
    else { return nil }
    guard let member = places.dropFirst().first else { return [text] }
    let rest = places.dropFirst(2)
    if rest.isEmpty { return [text, member] }
    return rows[place][member]?.way(byPlaces: rest).map { [text, member] + $0 }
  }

  /// Puts what the field of a row's text holds beside the text.
  ///
  /// - Parameters:
  ///   - text: Its new text.
  ///   - places: The way to the text by places, which is there.
  package mutating func setField(_ text: String, at places: ArraySlice<String>) {
    guard let token = places.first else { return }
    switch self {
    case .array(var rows):
      guard let place = JSONPointer.index(token), place < rows.count else { return }
      self = .null  // gives up the second reference, so that the change happens in place
      rows[place].setField(text, at: places.dropFirst())
      self = .array(rows)
    case .object(var members):
      self = .null
      if places.count == 1 {
        members[token + ".field"] = .string(text)
      } else {
        members[token]?.setField(text, at: places.dropFirst())
      }
      self = .object(members)
    default: return
    }
  }
}
