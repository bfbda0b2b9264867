// SPDX-License-Identifier: Apache-2.0
import MusubiText
import MusubiWire

/// The stored state of a room, so that the next commit takes along only the changes since then.
///
/// ```
/// whole   state, texts, …                          a keystroke in a text of 256 KiB
/// step 1  turn 7, "text" [[812,0,"x"]]             stores a step of some 100 bytes
/// step 2  turn 8, "text" [[813,0,"y"]]
/// …       until the steps weigh as much as the room; then it is stored as a whole again
/// ```
struct RoomBaseline {
  private let key: String
  private let lineage: [StreamPosition]
  private var state: Value
  private var revisions: [Int]
  /// The revisions of the rows' texts by their keys.
  private var rowRevisions: [String: Int] = [:]
  /// Texts that are stored before any page knows them, by their places; they are no revisions of the documents.
  private var untold: [Int: String] = [:]
  private var events: [StoredRoom.Event]
  private var steps = 0
  /// About how many bytes the whole took, and the steps since.
  private let weight: Int
  private var stepWeight = 0

  /// Below this weight steps are never gathered up.
  private static let leastWeight = 8 * 1_024
  /// About how many bytes a session's name takes with the number of its last input.
  private static let numberWeight = 32

  /// The room is stored as a whole.
  init(_ room: StoredRoom, of live: Room) {
    key = room.key.text
    lineage = room.lineage ?? []
    state = room.state
    revisions = live.texts.map(\.revision)
    for index in revisions.indices { untold[index] = live.waitingText(index) }
    for text in room.texts { rowRevisions[text.name] = text.revision }
    events = room.events
    let numbers = Self.numberWeight * (room.taken?.count ?? 0)
    weight = room.texts.reduce(room.state.weight + numbers) { $0 + $1.text.utf8.count }
  }

  /// The bytes of heap that it takes; the events are the room's.
  var heapBytes: Int {
    untold.values.reduce(state.heapBytes + 64 * rowRevisions.count) { $0 + HeapSize.text($1) }
  }

  /// Adds the changes of the room to those that are stored now.
  ///
  /// - Parameters:
  ///   - room: The room.
  ///   - keeping: The data of a stored room.
  ///   - newState: Its state.
  ///   - allSteps: The changes of all rooms. (A step is large: it is made in its place.)
  /// - Returns: False if the room is to be stored as a whole.
  mutating func addStep(
    of room: Room, _ keeping: RoomKeeping, to newState: Value, _ allSteps: inout [StoredRoomStep]
  ) -> Bool {
    guard room.lineage == lineage else { return false }
    var texts: [StoredRoomStep.TextStep] = []
    for index in room.texts.indices {
      let waiting = room.waitingText(index)
      guard room.texts[index].revision != revisions[index] || waiting != nil || untold[index] != nil
      else { continue }
      guard let edits = edits(of: room.texts[index], index, waiting) else { return false }
      if !edits.isEmpty {
        texts.append(StoredRoomStep.TextStep(name: room.texts[index].name, edits: edits))
      }
    }
    let ended = room.rows?.ended ?? []
    room.rows?.ended = []
    for key in ended { rowRevisions[key] = nil }
    for row in room.rows?.takeUnstored() ?? [] {
      guard let revision = rowRevisions.updateValue(row.text.revision, forKey: row.key) else {
        texts.append(StoredRoomStep.TextStep(name: row.key, edits: [], whole: row.stored))
        continue
      }
      guard revision != row.text.revision else { continue }
      guard let edits = row.text.edits(after: revision) else { return false }
      texts.append(StoredRoomStep.TextStep(name: row.key, edits: edits))
    }
    let changes = StateChange.changes(from: state, to: newState)
    state = newState
    let newEvents = room.recordEvents
    let events = newEvents == self.events ? nil : newEvents
    self.events = newEvents
    stepWeight += changes.reduce(128) { $0 + $1.weight } + (events?.reduce(0) { $0 + $1.weight } ?? 0)
    stepWeight += Self.numberWeight * keeping.numberCount
    for text in texts {
      stepWeight += text.edits.reduce(text.whole?.text.utf8.count ?? 0) { $0 + $1.weight }
    }
    guard stepWeight <= max(weight, Self.leastWeight) else { return false }
    steps += 1
    let isAhead = room.isRecordAhead
    allSteps.append(
      StoredRoomStep(
        room: key, slot: keeping.label.slot, number: steps, sequence: room.sequence + (isAhead ? 1 : 0),
        outputs: keeping.outputs(isAhead: isAhead), state: changes, texts: texts, events: events,
        nextMember: room.nextMember, left: keeping.left, ended: ended.isEmpty ? nil : ended,
        nextRowRevision: ended.isEmpty ? nil : room.rows?.nextRevision,
        rowsFollow: room.rowsFollow ? true : nil,
        taken: keeping.takeNumbers()))
    return true
  }

  /// The edits from the stored text to the newest one; nil if they are not known.
  private mutating func edits(of text: SharedText, _ index: Int, _ waiting: String?) -> [TextEdit]? {
    guard var edits = text.edits(after: revisions[index]) else { return nil }
    revisions[index] = text.revision
    let stored = untold[index]
    untold[index] = waiting
    // Pages were told in one edit what the store has in several: the record begins again.
    guard let waiting else { return stored == nil ? edits : nil }
    guard stored == nil || edits.isEmpty else { return nil }
    if stored?.hasSameBytes(as: waiting) != true {
      edits.append(TextEdit.diff(from: stored ?? text.text, to: waiting))
    }
    return edits
  }
}

extension TextEdit {
  /// About how many bytes the edit takes as JSON.
  var weight: Int {
    // A list would be made of the one.
    if let single { return 24 + single.inserted.utf8.count }
    return components.reduce(8) { $0 + 16 + $1.inserted.utf8.count }
  }
}

extension StoredRoom.Event {
  /// About how many bytes the event takes as JSON.
  fileprivate var weight: Int { 32 + name.utf8.count + (value?.weight ?? 0) }
}

extension RowDocument {
  /// The text as it is stored.
  var stored: StoredRoom.Text { StoredRoom.Text(name: key, text: text.text, revision: text.revision) }
}
