// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiWire

/// Notes what happens to one room, and what comes of it, as lines of a record.
///
/// The same object writes the record of a running server and tells a replay what today's program does. Used on the room's
/// loop.
final class RoomRecording {
  private let clock: () -> Duration
  private let made: Duration
  private let wallClock: Double
  private let emit: (RecordLine) -> Void
  private let number: () -> UInt32
  /// The header, until the names of redacted inputs are known.
  private var begin: ((Set<String>) -> Void)?
  private var redacted: Set<String> = []
  private var visitors: [Int: Visitor] = [:]
  /// The time of the line that was noted last.
  private var time: Int64 = 0
  /// The values that have come while the room was made.
  private var early: [RecordLine] = []

  // Of values from elsewhere.
  let isReplaying: Bool
  /// Those of the event that runs, by their names; of a replay.
  private var given: [String: ArraySlice<Value>] = [:]
  private var expected: [String: [Expectation]] = [:]
  private var numbers: [ObjectIdentifier: (number: Int, object: AnyObject)] = [:]
  private var counts: [String: Int] = [:]
  /// The names of values that today's program wants, and the record does not have.
  private(set) var missing: Set<String> = []

  private struct Expectation {
    let type: any Decodable.Type
    let once: Bool
    let take: (Any) -> Void
  }

  /// A recording that begins now.
  ///
  /// - Parameters:
  ///   - clock: The loop's monotonic clock.
  ///   - wallClock: Seconds since 1970, now.
  ///   - isReplaying: Whether values come from a record.
  ///   - begin: Called before the first line, with the names of redacted inputs.
  ///   - emit: Takes the lines.
  ///   - number: The number of the file that gets them; 0 if there is none.
  init(
    clock: @escaping () -> Duration, wallClock: Double, isReplaying: Bool = false,
    begin: @escaping (Set<String>) -> Void,
    emit: @escaping (RecordLine) -> Void,
    number: @escaping () -> UInt32 = { 0 }
  ) {
    self.clock = clock
    made = clock()
    self.wallClock = wallClock
    self.isReplaying = isReplaying
    self.begin = begin
    self.emit = emit
    self.number = number
    ValueRecording.begin()
  }

  /// The number of the file that gets the lines; 0 if there is none.
  var fileNumber: UInt32 { number() }

  /// Seconds since 1970, as the room sees it: it stands still while an event runs, so that a replay can tell the same.
  var wallTime: Double { wallClock + Double(time) / 1e9 }

  private func line() -> RecordLine {
    let past = (clock() - made).components
    time = past.seconds * 1_000_000_000 + past.attoseconds / 1_000_000_000
    return RecordLine(at: time)
  }

  /// Whether a turn has ended: what was written before belongs to how the room began.
  private(set) var hasTurn = false

  /// The screen has been made.
  func noteStart(_ board: OutputBoard, redacting names: Set<String>) {
    redacted = names
    begin?(names)
    begin = nil
    for line in early { emit(redacting(line)) }
    early = []
    var line = line()
    var state = Value.Object()
    for slot in board.slots { state[slot.name] = slot.value }
    line.start = redact(.object(state))
    emit(line)
  }

  func note(_ member: Member) {
    let visitor = member.session.visitor
    visitors[member.number] = visitor
    var line = line()
    line.guest = .init(
      number: member.number, session: member.session.id, screen: member.screen, visitor: visitor)
    emit(line)
  }

  func note(_ event: RoomEvent, of room: Room) {
    if let member = room.member(event.member), visitors[member.number] != member.session.visitor {
      note(member)
    }
    var line = line()
    if let name = event.inputName, redacted.contains(name) {
      line.leftOut = name
    } else {
      line.event = redacting(event)
    }
    emit(line)
  }

  /// The changes of the open turn are collected from now on.
  func noteCollecting() { _ = line() }

  /// A turn has ended.
  ///
  /// - Parameter frame: The turn as pages get it; nil if nothing has changed.
  func note(turn frame: String?) {
    hasTurn = true
    // What it was collected from has seen this time.
    var line = RecordLine(at: time)
    line.turn = redacting(turn: frame.flatMap { try? Value(json: $0) } ?? [:])
    emit(line)
  }

  func note(again events: [StoredRoom.Event]) {
    var line = line()
    line.again = events.map(\.sequence)
    emit(line)
  }
}

// MARK: - Values

extension RoomRecording: ValueRecorder {
  func note(_ value: some Encodable, as name: String) {
    guard !isReplaying else { return }
    var line = RecordLine(at: time)
    line.name = name
    // What cannot be encoded is missing in the record, and a replay says so.
    guard let value = try? ValueEncoder.encodeRecord(value) else { return }
    line.value = value
    if begin == nil { emit(redacting(line)) } else { early.append(line) }
  }

  func noteNothing() {
    // While the screen is made nothing comes from elsewhere.
    guard !isReplaying, begin == nil else { return }
    var line = RecordLine(at: time)
    line.isOvertaken = true
    emit(line)
  }

  func recorded(_ type: any Decodable.Type, as name: String) -> Any? {
    guard let value = given[name]?.popFirst() else { return nil }
    return try? type.init(recorded: value)
  }

  func expect(_ type: any Decodable.Type, as name: String, once: Bool, _ take: @escaping (Any) -> Void) {
    expected[name, default: []].append(Expectation(type: type, once: once, take: take))
  }

  func number(of object: AnyObject) -> Int {
    if let known = numbers[ObjectIdentifier(object)] { return known.number }
    // Held, so that no other object gets its identity.
    numbers[ObjectIdentifier(object)] = (numbers.count + 1, object)
    return numbers.count
  }

  func nextNumber(of kind: String) -> Int {
    counts[kind, default: 0] += 1
    return counts[kind] ?? 0
  }

  func noteMissing(_ name: String) { missing.insert(name) }

  /// Has the values of a record at hand while an event runs.
  func give(_ values: [RecordLine]) {
    given = [:]
    for line in values { given[line.name ?? "", default: []].append(line.value ?? .null) }
  }

  /// Whether somebody waits for a value of that name.
  func expects(_ name: String?) -> Bool { expected[name ?? ""]?.isEmpty == false }

  /// Hands those values of the event that runs over that somebody waits for.
  func push() {
    for name in given.keys.sorted() {
      while let next = expected[name]?.first, let value = given[name]?.popFirst() {
        if next.once { expected[name]?.removeFirst() }
        if let value = try? next.type.init(recorded: value) { next.take(value) }
      }
    }
  }
}

// MARK: - What is left out

extension RoomRecording {
  private func redacting(_ event: RoomEvent) -> RoomEvent {
    guard !redacted.isEmpty, case .handOver(let member, let values, let position, let lineage) = event else {
      return event
    }
    return .handOver(
      member: member, values: values.filter { !redacted.contains($0.name) }, position: position,
      lineage: lineage)
  }

  private func redacting(_ line: RecordLine) -> RecordLine {
    guard !redacted.isEmpty else { return line }
    var line = line
    line.value = redacted.contains(line.name ?? "") ? nil : line.value.map(redact)
    return line
  }

  private func redacting(turn: Value) -> Value {
    guard !redacted.isEmpty, var frame = turn.objectValue else { return turn }
    if let operations = frame["patch"]?.arrayValue {
      let kept = operations.filter { !isRedacted($0["path"]?.stringValue ?? "") }
      frame["patch"] = .array(kept.map(redact))
    }
    for part in ["edits", "events"] { frame[part] = frame[part].map(redact) }
    return .object(frame)
  }

  /// Whether a path leads to something that is left out.
  private func isRedacted(_ path: String) -> Bool {
    path.split(separator: "/").contains { redacted.contains(String($0)) }
  }

  /// The value without members of these names, at any depth.
  private func redact(_ value: Value) -> Value {
    guard !redacted.isEmpty else { return value }
    switch value {
    case .array(let elements): return .array(elements.map(redact))
    case .object(let object):
      var kept = Value.Object()
      for member in object where !isRedacted(member.key) { kept[member.key] = redact(member.value) }
      return .object(kept)
    default: return value
    }
  }
}

extension StoredRoom {
  /// The stored room without what is typed under these names.
  func redacting(_ names: Set<String>) -> StoredRoom {
    guard !names.isEmpty else { return self }
    return StoredRoom(
      key: key, path: path, query: query, visitor: visitor, position: position, outputs: outputs,
      state: state,
      texts: texts.filter { text in
        !text.name.split(separator: "/").contains { names.contains(String($0)) }
      }, events: events.filter { !names.contains($0.name) }, nextMember: nextMember, left: left,
      nextRowRevision: nextRowRevision, rowsFollow: rowsFollow, lineage: lineage, taken: taken)
  }
}

extension RoomEvent {
  /// Whether its work came from elsewhere: another thread, or another room's turn.
  var isForeign: Bool {
    switch self {
    case .outside: true
    case .timer(let id): id < 0
    default: false
    }
  }

  /// Whether it only says that something was written.
  var isOutside: Bool { if case .outside = self { true } else { false } }

  /// The member that it is about; 0 if there is none.
  fileprivate var member: Int {
    switch self {
    case .join(let member), .leave(let member), .connection(let member, _), .cover(let member, _): member
    default: origin.member
    }
  }

  /// The input that it is; nil if it is none.
  fileprivate var inputName: String? {
    switch self {
    case .input(_, _, let name, _, _), .edit(_, _, let name, _, _), .rowEdit(_, _, let name, _, _, _),
      .beginEditing(_, let name, _):
      name
    case .refuse(let event): event.inputName
    default: nil
    }
  }
}
