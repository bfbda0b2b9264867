// SPDX-License-Identifier: Apache-2.0
import MusubiText
import MusubiWire

/// The two-way text of a row, from its first edit to the end of the row.
///
/// A member of the room has a bridge here once it has typed; the others have nothing. A document that nobody has changed for
/// a while, and that equals what the output shows, keeps its revision and no more (`rest`).
final class RowDocument {
  /// The position of the list's output, and its name.
  let output: Int
  let list: String
  /// The way from there: the row's id, or those of rows inside of each other with the lists' names between them, and
  /// the text's name.
  let way: [String]
  /// The same by places, in the list as it is now.
  var places: [String]
  /// Names the text on the wire.
  let key: String
  /// The output's text that was seen last.
  var shown: String
  /// The revision with which the document begins.
  let start: Int
  /// What it begins with; nil if it rests.
  private var beginText: String?
  /// The turn with which it begins.
  let begun: Int
  var text: SharedText
  /// By the members' numbers.
  var bridges: [Int: TextBridge] = [:]
  /// Its place among the texts of the open turn; nil if that says nothing about it.
  var number: Int?
  /// What the open turn tells as its beginning.
  var beginning: String?
  /// Whether it has changed since somebody looked whether it can rest.
  var isFresh = true
  /// Whether it keeps what late edits need.
  private(set) var isActive = true
  /// Whether it is among those that have rested since a commit.
  fileprivate(set) var hasJustRested = false
  private let historyLimit: Int

  /// A document.
  ///
  /// - Parameters:
  ///   - output: The list's output.
  ///   - list: The output's name.
  ///   - way: The way from there by ids.
  ///   - places: The same by places.
  ///   - text: What the field holds.
  ///   - revision: The revision of that.
  ///   - sequence: The turn that begins it.
  ///   - historyLimit: How many steps are kept for late edits.
  init(
    output: Int, list: String, way: [String], places: [String], text: String, revision: Int, sequence: Int,
    historyLimit: Int
  ) {
    self.output = output
    self.list = list
    self.way = way
    self.places = places
    key = JSONPointer([list] + way).description
    shown = text
    start = revision
    begun = sequence
    beginText = text
    self.historyLimit = historyLimit
    self.text = SharedText(
      name: way[way.count - 1], text: text, historyLimit: historyLimit, revision: revision,
      sequence: sequence - 1
    )
  }

  /// The bytes of heap that it takes.
  var heapBytes: Int {
    let names = (way + places).reduce(HeapSize.array(way) + HeapSize.array(places)) { $0 + HeapSize.text($1) }
    return HeapSize.block(320) + names + 2 * HeapSize.text(key) + HeapSize.text(shown) + text.heapBytes
      + (beginText.map(HeapSize.text) ?? 0)
      + bridges.values.reduce(0) { $0 + 96 + $1.heapBytes }
  }

  /// Writes the part before its steps in a turn that has them.
  func writeHead(to buffer: inout ByteBuffer) {
    buffer.appendJSON(key)
    buffer.appendRaw(#":{"revision":"#)
    buffer.appendJSON(text.revision)
    guard let beginning else { return }
    buffer.appendRaw(#","text":"#)
    buffer.appendJSON(beginning)
  }

  /// Appends the operation on what the field holds, with a comma behind it.
  func appendField(to bytes: inout ByteBuffer) {
    bytes.appendRaw(#"{"op":"add","path":"#)
    bytes.appendJSON(JSONPointer([list] + places.dropLast() + [text.name + ".field"]))
    bytes.appendRaw(#","value":"#)
    bytes.appendJSON(text.text)
    bytes.appendRaw("},")
  }

  /// The ids of the rows that it is in, outermost first.
  var row: [String] { stride(from: 0, to: way.count - 1, by: 2).map { way[$0] } }

  /// The bridge of a member, who was sent the whole state with that turn.
  func bridge(of member: Member) -> TextBridge {
    bridges[member.number] ?? TextBridge(floor: text.revision(at: member.snapshotSequence))
  }

  /// The text has changed, or is about to.
  func wake() {
    isActive = true
    isFresh = true
  }

  /// Whether it began with a text, as far as somebody knows.
  func beganWith(_ text: String) -> Bool { beginText?.hasSameBytes(as: text) ?? false }

  /// Whether it is what the output shows.
  var isShown: Bool { text.text.hasSameBytes(as: shown) }

  /// Whether nobody waits for anything: it is what the output shows, and who was refused something has learnt it.
  var mayRest: Bool {
    isActive && isShown && bridges.values.allSatisfy { $0.refusedInput == nil }
  }

  /// Lets go of all but the revision.
  func rest() {
    isActive = false
    bridges = [:]
    beginText = nil
    text = SharedText(
      name: text.name, text: shown, historyLimit: historyLimit, revision: text.revision,
      sequence: text.lastSequence)
  }
}

/// The texts of a room's rows that somebody has edited, and the changes of the others since.
final class RowTexts {
  /// Those that keep what late edits need; in the order in which they began to.
  private(set) var active: [RowDocument] = []
  private var documents: [ExactString: RowDocument] = [:]
  /// The revision with which the next document begins: above all that any row's text has had.
  private(set) var nextRevision: Int
  /// The last turn of which own edits are not remembered, because a document rests.
  private(set) var restedSequence = 0
  /// The keys of documents that have ended since a commit took that along.
  var ended: [String] = []
  /// Those that have rested since a commit looked at them: it may not have their last edits.
  private var justRested: [RowDocument] = []
  /// For texts without a document, and for rows, the turn that has last changed or added them.
  private var changes: [ExactString: Int] = [:]
  /// The last turn of which the changes are not known one by one.
  private var floor: Int
  private static let maxChanges = 1_024

  init(floor: Int, nextRevision: Int = 0) {
    self.floor = floor
    self.nextRevision = nextRevision
  }

  /// Whether a look whether documents can rest is planned.
  var isRestPlanned = false

  /// The document of a text in a list; nil before its first edit.
  func document(atWay way: [String], of output: Int) -> RowDocument? {
    let row = stride(from: 0, to: way.count - 1, by: 2).map { way[$0] }
    return document(way[way.count - 1], row).flatMap { $0.output == output && $0.way == way ? $0 : nil }
  }

  /// All documents, in the order of their keys.
  var all: [RowDocument] { documents.values.sorted { $0.key < $1.key } }

  /// The bytes of heap that they take, and the changes that they remember.
  var heapBytes: Int {
    documents.values.reduce(HeapSize.block(128) + changes.count * 96) { $0 + 64 + $1.heapBytes }
  }

  /// Those of an output.
  func documents(of output: Int) -> [RowDocument] { all.filter { $0.output == output } }

  var isEmpty: Bool { documents.isEmpty }

  /// Whether all are what the outputs show.
  var areShown: Bool { active.allSatisfy(\.isShown) }

  /// The outputs that have them.
  var outputs: Set<Int> { Set(documents.values.map(\.output)) }

  /// The document of a text; nil before its first edit.
  func document(_ name: String, _ row: [String]) -> RowDocument? { documents[Self.address(name, row)] }

  /// The document of a key on the wire; nil if it names none.
  func document(ofKey key: String) -> RowDocument? {
    let way: [String]
    do {
      way = try JSONPointer(parsing: key).tokens
    } catch {
      return nil
    }
    guard let name = way.last else { return nil }
    let row = stride(from: 1, to: way.count - 1, by: 2).map { way[$0] }
    return document(name, row).flatMap { $0.key == key ? $0 : nil }
  }

  func begin(_ document: RowDocument) {
    documents[Self.address(document.text.name, document.row)] = document
    active.append(document)
  }

  /// A document changes that has rested.
  func wake(_ document: RowDocument) {
    if !document.isActive { active.append(document) }
    document.wake()
  }

  func end(_ document: RowDocument) {
    documents[Self.address(document.text.name, document.row)] = nil
    active.removeAll { $0 === document }
    if document.hasJustRested { justRested.removeAll { $0 === document } }
    ended.append(document.key)
    nextRevision = max(nextRevision, document.text.revision + 1)
  }

  /// Lets documents rest that have not changed since the last call.
  ///
  /// - Parameter isStored: Whether a commit is to look at them, because the room is stored.
  /// - Returns: Whether others may rest later.
  func rest(isStored: Bool) -> Bool {
    for document in active where !document.isFresh && document.mayRest {
      restedSequence = max(restedSequence, document.text.lastSequence)
      document.rest()
      guard isStored, !document.hasJustRested else { continue }
      document.hasJustRested = true
      justRested.append(document)
    }
    active.removeAll { !$0.isActive }
    for document in active { document.isFresh = false }
    return active.contains { $0.mayRest }
  }

  /// Takes out those of which a commit may not have the last edits.
  func takeUnstored() -> [RowDocument] {
    let rested = justRested
    justRested = []
    for document in rested { document.hasJustRested = false }
    return active + rested.filter { !$0.isActive }
  }

  /// Whether all steps of the turns after `sequence` are kept.
  func reaches(back sequence: Int) -> Bool {
    sequence >= restedSequence && active.allSatisfy { $0.text.reaches(back: sequence) }
  }

  // MARK: - Texts without a document

  /// The change of a text since a turn.
  enum Past {
    /// It is unchanged.
    case same
    /// It is another, or nobody knows.
    case changed
    /// The row is another one with the same id.
    case otherRow
  }

  /// The change since a turn of a text, to which a way by ids leads from the list of that name.
  func past(of list: String, _ way: [String], since sequence: Int) -> Past {
    for end in stride(from: 1, to: way.count, by: 2) {
      if let turn = changes[Self.key(list, way[..<end])], turn > sequence { return .otherRow }
    }
    if sequence < floor { return .changed }
    return (changes[Self.key(list, way[...])] ?? 0) > sequence ? .changed : .same
  }

  /// A text without a document has changed, or a row was added.
  func note(_ list: String, _ way: [String], in turn: Int) {
    if changes.count >= Self.maxChanges { forgetChanges(through: turn) }
    changes[Self.key(list, way[...])] = turn
  }

  /// The changes up to a turn are unknown.
  func forgetChanges(through turn: Int) {
    floor = max(floor, turn)
    changes = changes.filter { $0.value > turn }
  }

  // Ids are compared by their bytes, as on the wire.

  private static func key(_ list: String, _ way: ArraySlice<String>) -> ExactString {
    ExactString(JSONPointer([list] + way).description)
  }

  private static func address(_ name: String, _ row: [String]) -> ExactString {
    ExactString(JSONPointer([name] + row).description)
  }
}
