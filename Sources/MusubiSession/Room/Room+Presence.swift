// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// Tells the room's tracker, if there is one, what pages do.
extension Room {
  /// Somebody asks who is here, for the first time.
  func follow(_ presence: PresenceTracker) {
    self.presence = presence
    for member in members { notePresence(of: member.number) }
  }

  /// A page shows the room, or no longer does.
  func notePresence(of number: Int) {
    guard let member = member(number) else { return }
    if let carets, !member.isConnected { carets.end(number, in: self) }
    if let carets, member.isCovered { carets.place(number, at: nil, in: self) }
    guard let presence else { return }
    if member.isConnected, !member.isCovered {
      presence.enter(page: number, member.session.visitor)
    } else {
      presence.leave(page: number)
    }
  }

  /// Whether an input is the whole of a two-way text.
  func isText(_ name: String, _ value: Value?, row: [String]) -> Bool {
    guard case .string = value else { return false }
    return row.isEmpty ? textIndex(name) != nil : rows?.document(name, row) != nil
  }
}
