// SPDX-License-Identifier: Apache-2.0
package import MusubiText
import MusubiWire

/// The changes of a stored room since the commit before: as large as the change, not as the room.
package struct StoredRoomStep: Codable, Equatable, Sendable {
  /// The edits of a two-way text, one for each revision.
  package struct TextStep: Codable, Equatable, Sendable {
    package let name: String
    package let edits: [TextEdit]
    /// The whole of a row's text that is stored for the first time.
    package var whole: StoredRoom.Text?
  }

  /// The room's key, as `RoomKey.text`; it is stored beside the step, and not in it.
  package var room = ""
  /// The room's slot, which is stored with the room.
  package var slot = 0
  /// Counts the steps since the room was stored as a whole; the first one is 1.
  package let number: Int
  /// The last turn.
  package let sequence: Int
  package let outputs: UInt64
  package let state: [StateChange]
  package let texts: [TextStep]
  /// The events that are kept; nil if they are the same.
  package let events: [StoredRoom.Event]?
  package let nextMember: Int
  package let left: Double?
  /// The keys of texts whose rows have gone; nil if there is none.
  package var ended: [String]?
  /// The revision with which the next document of a row begins; nil if it is the same.
  package var nextRowRevision: Int?
  /// Whether the state may have other texts of rows from now on, which no page knows; nil for no.
  package var rowsFollow: Bool?
  /// The last inputs of sessions of which nothing else has changed; nil if there is none.
  package var taken: [TakenInput]?

  private enum CodingKeys: CodingKey {
    case number, sequence, outputs, state, texts, events, nextMember, left, ended, nextRowRevision, taken
    case rowsFollow
  }

  package init(
    room: String, slot: Int = 0, number: Int, sequence: Int, outputs: UInt64, state: [StateChange],
    texts: [TextStep],
    events: [StoredRoom.Event]?, nextMember: Int, left: Double?, ended: [String]? = nil,
    nextRowRevision: Int? = nil, rowsFollow: Bool? = nil, taken: [TakenInput]? = nil
  ) {
    self.room = room
    self.slot = slot
    self.number = number
    self.sequence = sequence
    self.outputs = outputs
    self.state = state
    self.texts = texts
    self.events = events
    self.nextMember = nextMember
    self.left = left
    self.ended = ended
    self.nextRowRevision = nextRowRevision
    self.rowsFollow = rowsFollow
    self.taken = taken
  }
}

extension RoomKey {
  /// The key as JSON: its parts in a fixed order.
  package var text: String {
    String(writing: {
      $0.appendRaw("[")
      $0.appendJSON(screen)
      $0.appendRaw(",")
      $0.appendJSON(name)
      $0.appendRaw(isPrivate ? #","session"]"# : #","room"]"#)
    })
  }
}

extension StoredRoom {
  /// The room after steps.
  ///
  /// - Parameter steps: The steps that were stored next, the oldest first.
  /// - Returns: The room as it was then.
  /// - Throws: `WireError` if a step is not for the room as it is.
  /// - Complexity: Linear in the steps and in the sessions that they, and the room, have numbers of.
  package func applying(_ steps: some Sequence<StoredRoomStep>) throws -> StoredRoom {
    var numbers = LastInputs(taken ?? [])
    var room = self
    room.taken = nil
    for step in steps {
      room = try room.changed(by: step)
      for input in step.taken ?? [] { numbers.note(input) }
    }
    room.taken = numbers.all.isEmpty ? nil : numbers.all
    return room
  }

  /// The room after a step.
  ///
  /// - Parameter step: The step that was stored next.
  /// - Returns: The room as it was then.
  /// - Throws: `WireError` if the step is not for this room as it is.
  package func applying(_ step: StoredRoomStep) throws -> StoredRoom { try applying(CollectionOfOne(step)) }

  /// The room after a step, without the numbers of its sessions' inputs.
  private func changed(by step: StoredRoomStep) throws -> StoredRoom {
    var state = state
    for change in step.state { try change.apply(to: &state) }
    let ended = step.ended ?? []
    var texts = try texts.filter { !ended.contains($0.name) }.map { text in
      guard let changes = step.texts.first(where: { $0.name == text.name }) else { return text }
      var newText = text.text
      for edit in changes.edits { try edit.apply(to: &newText) }
      return Text(name: text.name, text: newText, revision: text.revision + changes.edits.count)
    }
    texts += step.texts.compactMap(\.whole)
    var room = StoredRoom(
      key: key, path: path, query: query, visitor: visitor,
      position: StreamPosition(epoch: position.epoch, sequence: step.sequence), outputs: step.outputs,
      state: state, texts: texts, events: step.events ?? events, nextMember: step.nextMember, left: step.left,
      nextRowRevision: step.nextRowRevision ?? nextRowRevision, lineage: lineage, taken: nil)
    room.rowsFollow = step.rowsFollow
    (room.build, room.label) = (build, label)
    return room
  }
}

/// The last input of each session, in the order of their first ones.
private struct LastInputs {
  private(set) var all: [TakenInput] = []
  private var places: [String: Int] = [:]

  init(_ inputs: [TakenInput]) {
    for input in inputs { note(input) }
  }

  /// A session has taken an input.
  mutating func note(_ input: TakenInput) {
    if let place = places[input.session] {
      all[place] = input
    } else {
      places[input.session] = all.count
      all.append(input)
    }
  }
}
