// SPDX-License-Identifier: Apache-2.0
package import MusubiText
package import MusubiWire

/// One place at which a stored state has become another one: a new value, or an edit of a long text.
package struct StateChange: Codable, Equatable, Sendable {
  /// The names and indices that lead to the place.
  package let path: [String]
  package let value: Value?
  package let edit: TextEdit?

  /// From this many bytes on, a text is stored by its edits.
  private static let longText = 256

  /// What makes one state of another.
  ///
  /// - Parameters:
  ///   - old: The state that is stored.
  ///   - new: The wanted state.
  /// - Returns: The changes, in any order; empty if both are equal.
  package static func changes(from old: Value, to new: Value) -> [StateChange] {
    var changes: [StateChange] = []
    collect(old, new, [], &changes)
    return changes
  }

  private static func collect(
    _ old: Value, _ new: Value, _ path: [String], _ changes: inout [StateChange]
  ) {
    guard old != new else { return }
    switch (old, new) {
    case (.object(let before), .object(let after)) where before.map(\.key) == after.map(\.key):
      for (one, other) in zip(before, after) { collect(one.value, other.value, path + [one.key], &changes) }
    case (.array(let before), .array(let after)) where before.count == after.count:
      for index in before.indices { collect(before[index], after[index], path + ["\(index)"], &changes) }
    case (.string(let before), .string(let after))
    where before.utf8.count > longText && after.utf8.count > longText:
      let edit = TextEdit.diff(from: before, to: after, byPlace: false)
      changes.append(StateChange(path: path, value: nil, edit: edit))
    default:
      changes.append(StateChange(path: path, value: new, edit: nil))
    }
  }

  /// Makes the change.
  ///
  /// - Parameter state: The state that the change was found for.
  /// - Throws: `WireError` if it is another one.
  package func apply(to state: inout Value) throws {
    guard let edit else {
      try state.change(path[...]) { $0 = value ?? .null }
      return
    }
    guard var text = state[JSONPointer(path)]?.stringValue else {
      throw WireError(.wrongType(member: path.joined(separator: "/"), expected: "text"), at: 0)
    }
    try edit.apply(to: &text)
    try state.change(path[...]) { $0 = .string(text) }
  }

  /// About how many bytes it takes.
  var weight: Int {
    path.reduce(16) { $0 + $1.utf8.count } + (value?.weight ?? 0)
      + (edit?.weight ?? 0)
  }
}

extension Value {
  /// About how many bytes the value takes as JSON.
  var weight: Int {
    switch self {
    case .null, .bool, .integer, .number: 8
    case .string(let text): 2 + text.utf8.count
    case .array(let elements): elements.reduce(2) { $0 + 1 + $1.weight }
    case .object(let object): object.reduce(2) { $0 + 4 + $1.key.utf8.count + $1.value.weight }
    }
  }
}
