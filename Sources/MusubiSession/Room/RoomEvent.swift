// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
package import MusubiText
package import MusubiWire

/// Everything that can enter a room.
///
/// There is no other door, so the same events on a room with the same clock and random source lead to the same states.
package enum RoomEvent: Equatable, Codable, Sendable {
  /// A page begins to show the screen.
  case join(member: Int)
  /// A page no longer shows the screen, and will not return.
  case leave(member: Int)
  /// A page has lost its connection, or is connected again.
  case connection(member: Int, isConnected: Bool)
  /// Another screen of the page's lies on top of this one, or no longer does; told where somebody follows who is here.
  case cover(member: Int, isCovered: Bool)
  /// A page sent an input.
  case input(member: Int, number: Int, name: String, row: [String], value: Value?)
  /// A page edited a two-way text, in positions of its own text at `revision`.
  case edit(member: Int, number: Int, name: String, revision: Int, edit: TextEdit)
  /// A page edited a text in a row, in positions of its own text at `base`.
  case rowEdit(member: Int, number: Int, name: String, row: [String], base: TextBase, edit: TextEdit)
  /// A page is about to edit a text of a long list's row that nobody edits: all pages are told the row's texts.
  case beginEditing(member: Int, name: String, row: [String])
  /// A page sent an input that is not run, because it has ended the process before.
  indirect case refuse(RoomEvent)
  /// A page hands over its values of a room that is gone, and its position in that room's stream.
  case handOver(
    member: Int, values: [HandedValue], position: StreamPosition, lineage: [StreamPosition])
  /// No connected page shows the screen any more: what it shows is not told until somebody does again.
  case suspend
  /// A connected page shows the screen again.
  case resume
  /// A timer of the room is due.
  case timer(id: Int)
  /// A screen has sent the room's shared model a command.
  case command(ModelCommand)
  /// Something outside of the room (a shared model, a finished request) has written into its outputs.
  case outside
}

/// Which text of a row a page has edited.
package enum TextBase: Equatable, Codable, Sendable {
  /// The document at that revision.
  case revision(Int)
  /// What the row showed after that turn, when it had no document.
  case sequence(Int)
  /// What the page showed of a long list's row, after that turn, when it had no document.
  case shown(String, sequence: Int)
}

extension RoomEvent {
  /// The member whose input this is, and the input's number; zeros for other events.
  var origin: (member: Int, input: Int) {
    switch self {
    case .input(let member, let number, _, _, _), .edit(let member, let number, _, _, _),
      .rowEdit(let member, let number, _, _, _, _):
      (member, number)
    case .refuse(let event): event.origin
    case .handOver(let member, _, _, _), .beginEditing(let member, _, _): (member, 0)
    case .join, .leave, .connection, .cover, .suspend, .resume, .timer, .command, .outside: (0, 0)
    }
  }

  /// The event of an input frame; nil if the input is about the session's screens.
  init?(_ input: consuming ClientFrame.Input, from member: Int) {
    switch input.payload {
    case .none:
      self = .input(member: member, number: input.number, name: input.name, row: input.row, value: nil)
    case .value(let value):
      self = .input(member: member, number: input.number, name: input.name, row: input.row, value: value)
    case .edit(let edit, let revision):
      self =
        if input.row.isEmpty {
          .edit(member: member, number: input.number, name: input.name, revision: revision, edit: edit)
        } else {
          .rowEdit(
            member: member, number: input.number, name: input.name, row: input.row, base: .revision(revision),
            edit: edit)
        }
    case .firstEdit(let edit, let sequence, let shown):
      self = .rowEdit(
        member: member, number: input.number, name: input.name, row: input.row,
        base: shown.map { .shown($0, sequence: sequence) } ?? .sequence(sequence), edit: edit)
    case .back, .dismiss:
      return nil
    }
  }
}
