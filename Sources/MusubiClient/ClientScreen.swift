// SPDX-License-Identifier: Apache-2.0
public import MusubiWire

/// An entry of a session's stack of screens.
public struct ClientScreen: Equatable, Sendable {
  /// Its number, which its frames carry.
  public let number: Int
  /// The screen's name.
  public let name: String
  /// The address of its page.
  public let path: String
  /// The name of the dialog that is open on it; nil if there is none.
  public let dialog: String?
  /// The dialog's value; nil if it has none.
  public let dialogValue: Value?
}

/// A client's knowledge of one screen.
struct ScreenState: Sendable {
  var state: Value = .object(Value.Object())
  /// What is this visitor's alone.
  var personal = Value.Object()
  /// Where the page may send files, by the names of its controls.
  var uploads: Value?
  var position: ClientPosition?
  var documents: [String: ClientDocument] = [:]
  var selections: [String: Range<Int>] = [:]
  /// What the screen's room descends from.
  var lineage: [StreamPosition] = []
  /// The names of the controls that this visitor has set, the last one at the end.
  var chosen: [String] = []
  /// The page's values before it was reloaded.
  var remembered: Known?

  /// The state, with what is this visitor's alone in its place.
  var visibleState: Value {
    guard !personal.isEmpty, case .object(var members) = state else { return state }
    for member in personal { members[member.key] = member.value }
    return .object(members)
  }

  /// The values of the controls that this visitor has set, and the last turn that is part of them.
  struct Known: Sendable {
    let position: StreamPosition
    let values: [(name: String, value: Value)]
  }
}
