// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiSession
import MusubiText
import MusubiWire

/// Records as `JSONDecoder` reads them. They are written by hand, because a visit writes a whole of each, and a keystroke a
/// step: `JSONEncoder` takes 26 times the instructions.
extension ByteBuffer {
  /// Appends a room, without its label.
  mutating func append(_ room: StoredRoom) throws {
    appendRaw(#"{"key":"#)
    append(room.key)
    append(#","path":"#, room.path)
    appendRaw(#","query":{"#)
    append(list: Array(room.query)) { bytes, item in
      bytes.appendJSON(item.key)
      bytes.append(":", item.value)
    }
    appendRaw(#"},"visitor":"#)
    try append(room.visitor)
    appendRaw(#","position":"#)
    append(room.position)
    appendRaw(#","outputs":"#)
    append(room.outputs)
    append(#","state":"#, room.state)
    appendRaw(#","texts":["#)
    append(list: room.texts) { $0.append($1) }
    appendRaw(#"],"events":["#)
    append(list: room.events) { $0.append($1) }
    append(#"],"nextMember":"#, room.nextMember)
    if let left = room.left {
      appendRaw(#","left":"#)
      appendJSON(left)
    }
    if let revision = room.nextRowRevision { append(#","nextRowRevision":"#, revision) }
    if let follow = room.rowsFollow { append(#","rowsFollow":"#, .bool(follow)) }
    if let lineage = room.lineage {
      appendRaw(#","lineage":["#)
      append(list: lineage) { $0.append($1) }
      appendRaw("]")
    }
    if let taken = room.taken { append(taken: taken) }
    appendRaw("}")
  }

  /// Appends a session, without its label.
  mutating func append(_ session: StoredSession) throws {
    append(#"{"id":"#, session.id)
    append(#","token":"#, session.token)
    if let token = session.previousToken { append(#","previousToken":"#, token) }
    if let token = session.otherToken { append(#","otherToken":"#, token) }
    appendRaw(#","visitor":"#)
    try append(session.visitor)
    if let address = session.address { append(#","address":"#, address) }
    append(#","taken":"#, session.taken)
    append(#","nextScreen":"#, session.nextScreen)
    appendRaw(#","views":["#)
    append(list: session.views) { bytes, view in
      bytes.appendRaw(#"{"room":"#)
      bytes.append(view.room)
      bytes.append(#","screen":"#, view.screen)
      bytes.append(#","member":"#, view.member)
      if let dialog = view.dialog {
        bytes.append(#","dialog":{"name":"#, dialog.name)
        if let value = dialog.value { bytes.append(#","value":"#, value) }
        bytes.appendRaw("}")
      }
      bytes.appendRaw("}")
    }
    appendRaw("]")
    if let left = session.left {
      appendRaw(#","left":"#)
      appendJSON(left)
    }
    if let number = session.signOuts { append(#","signOuts":"#, number) }
    if let generation = session.lostSince { append(#","lostSince":"#, Int(generation)) }
    appendRaw("}")
  }

  /// Appends the changes of a room, without its key.
  mutating func append(_ step: StoredRoomStep) {
    append(#"{"number":"#, step.number)
    append(#","sequence":"#, step.sequence)
    appendRaw(#","outputs":"#)
    append(step.outputs)
    append(#","nextMember":"#, step.nextMember)
    if let left = step.left {
      appendRaw(#","left":"#)
      appendJSON(left)
    }
    appendRaw(#","state":["#)
    append(list: step.state) { $0.append($1) }
    appendRaw(#"],"texts":["#)
    append(list: step.texts) { $0.append($1) }
    appendRaw("]")
    if let ended = step.ended {
      appendRaw(#","ended":["#)
      append(list: ended) { $0.appendJSON($1) }
      appendRaw("]")
    }
    if let taken = step.taken { append(taken: taken) }
    if let revision = step.nextRowRevision { append(#","nextRowRevision":"#, revision) }
    if let follow = step.rowsFollow { append(#","rowsFollow":"#, .bool(follow)) }
    if let events = step.events {
      appendRaw(#","events":["#)
      append(list: events) { $0.append($1) }
      appendRaw("]")
    }
    appendRaw("}")
  }

  // MARK: - Parts

  private mutating func append(_ key: RoomKey) {
    append(#"{"screen":"#, key.screen)
    append(#","name":"#, key.name)
    append(#","isPrivate":"#, .bool(key.isPrivate))
    appendRaw("}")
  }

  private mutating func append(_ visitor: Visitor) throws {
    guard visitor != .anonymous else { return appendRaw(#"{"locales":[]}"#) }
    // Its numbers are larger than those of the wire.
    guard visitor.validFor == nil else { return append(contentsOf: Array(try JSONEncoder().encode(visitor))) }
    appendJSON(try ValueEncoder.encode(visitor))
  }

  private mutating func append(_ position: StreamPosition) {
    append(#"{"epoch":"#, position.epoch)
    append(#","sequence":"#, position.sequence)
    appendRaw("}")
  }

  private mutating func append(_ number: UInt64) {
    if number > 9 { appendJSON(Int64(number / 10)) }
    append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  private mutating func append(taken: [TakenInput]) {
    appendRaw(#","taken":["#)
    append(list: taken) { bytes, input in
      bytes.append("[", input.session)
      bytes.append(",", input.number)
      bytes.appendRaw("]")
    }
    appendRaw("]")
  }

  private mutating func append(_ text: StoredRoom.Text) {
    append(#"{"name":"#, text.name)
    append(#","text":"#, text.text)
    append(#","revision":"#, text.revision)
    appendRaw("}")
  }

  private mutating func append(_ text: StoredRoomStep.TextStep) {
    append(#"{"name":"#, text.name)
    appendRaw(#","edits":["#)
    append(list: text.edits) { $0.appendJSON($1) }
    appendRaw("]")
    if let whole = text.whole {
      appendRaw(#","whole":"#)
      append(whole)
    }
    appendRaw("}")
  }

  private mutating func append(_ change: StateChange) {
    appendRaw(#"{"path":["#)
    append(list: change.path) { $0.appendJSON($1) }
    appendRaw("]")
    if let value = change.value { append(#","value":"#, value) }
    if let edit = change.edit {
      appendRaw(#","edit":"#)
      appendJSON(edit)
    }
    appendRaw("}")
  }

  private mutating func append(_ event: StoredRoom.Event) {
    append(#"{"sequence":"#, event.sequence)
    append(#","name":"#, event.name)
    if let value = event.value { append(#","value":"#, value) }
    appendRaw("}")
  }

  private mutating func append<Item>(list: [Item], _ write: (inout ByteBuffer, Item) -> Void) {
    for index in list.indices {
      if index > 0 { appendRaw(",") }
      write(&self, list[index])
    }
  }
}
