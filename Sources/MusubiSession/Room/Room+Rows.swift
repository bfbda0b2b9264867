// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiText
import MusubiWire

/// Texts in the rows of lists.
extension Room {
  /// Before the first edit of a row's text: the text is told from the one that pages have seen, so pending
  /// changes are told first.
  ///
  /// All pages are told the texts of a long list's row, too, whatever they look at.
  ///
  /// - Parameters:
  ///   - name: The text's name.
  ///   - row: The ids of the rows that it is in, outermost first.
  ///   - number: The page that edits it; nil if the edit is refused anyway.
  func prepareEdit(of name: String, in row: [String], from number: Int?) {
    if let known = rows?.document(name, row) {
      // Of a long list's row that nobody has edited for a while, it ends with the turn.
      guard instance.holdsEditedRows(known.output), !isThere(known) else { return }
      finishTurn()
    }
    if let number, isAllowed(name, for: number), instance.mayBeginEditing(name, ofRow: row) {
      handle(.beginEditing(member: number, name: name, row: row))
    }
    if instance.board.slots.contains(where: \.isChanging) { finishTurn() }
  }

  /// Takes an edit of a text in a row.
  func edit(
    _ name: String, in row: [String], _ edit: TextEdit, base: TextBase, from number: Int, input: Int,
    refusing reason: TextBridge.RefusalReason? = nil, _ turn: TurnBuilder
  ) -> RoomOutcome {
    guard let member = member(number) else { return .taken }
    let rows = rowTexts
    let document: RowDocument
    do throws(BindingError) {
      guard let known = rows.document(name, row) else {
        return try beginEdit(
          name, in: row, edit, base: base, from: member, input: input, refusing: reason, rows, turn)
      }
      guard isThere(known) else { throw .unknownRow(row) }
      document = known
    } catch {
      return .refused(error)
    }
    if let sequence = base.sequence, sequence >= document.begun, !instance.holdsEditedRows(document.output) {
      // Whoever has seen the document begin knows a revision of it: this is a row of the same ids in another list.
      do throws(BindingError) { _ = try instance.output(ofRow: row, for: name) } catch {
        return .refused(error)
      }
    }
    let revision: Int
    switch base {
    case .revision(let known):
      guard known >= document.start else {
        return instance.holdsEditedRows(document.output) ? .behind : .refused(.unknownRow(row))
      }
      revision = known
    case .shown(let text, let sequence):
      guard sequence < document.begun, sequence >= member.snapshotSequence, document.beganWith(text) else {
        return .behind
      }
      revision = document.start
    case .sequence(let sequence):
      guard sequence < document.begun, sequence >= member.snapshotSequence else { return .behind }
      switch rows.past(of: document.list, document.way, since: sequence) {
      case .same: revision = document.start
      case .changed: return .behind
      case .otherRow: return .refused(.unknownRow(row))
      }
    }
    return take(
      edit, of: document, base: revision, from: member, input: input, refusing: reason, rows, turn)
  }

  /// Takes the first edit of a row's text: its document begins.
  private func beginEdit(
    _ name: String, in row: [String], _ edit: TextEdit, base: TextBase, from member: Member, input: Int,
    refusing reason: TextBridge.RefusalReason?, _ rows: RowTexts, _ turn: TurnBuilder
  ) throws(BindingError) -> RoomOutcome {
    // Who may not edit cannot have the room keep documents.
    guard reason != .notAllowed else { throw .notAllowed(name) }
    // Reading the row may be what has ended the process.
    if reason == .deadly, instance.mayBeginEditing(name, ofRow: row) { throw .deadly }
    let (output, way) = try instance.rowText(name, row: row)
    let slot = instance.board.slots[output]
    guard let places = slot.value?.places(of: way[...]),
      let text = slot.value?[JSONPointer(places)]?.stringValue
    else { throw .unknownRow(row) }
    let isSame: Bool
    switch base {
    case .sequence(let sequence), .shown(_, let sequence):
      guard sequence <= log.head else {
        return .violation("The edit refers to turn \(sequence), which has not been.")
      }
      guard sequence >= member.snapshotSequence else { return .behind }
      if instance.holdsEditedRows(output) {
        // A long text is not told.
        if case .shown(let shown, _) = base { isSame = shown.hasSameBytes(as: text) } else { isSame = false }
      } else {
        let past = rows.past(of: slot.name, way, since: sequence)
        if past == .otherRow { throw .unknownRow(row) }
        isSame = past == .same
      }
    case .revision:
      // A revision without a document is one of an earlier row with this id; of a long list's row that nobody has edited
      // for a while, too.
      guard instance.holdsEditedRows(output) else { throw .unknownRow(row) }
      isSame = false
    }
    let document = RowDocument(
      output: output, list: slot.name, way: way, places: places, text: text,
      revision: rows.nextRevision, sequence: log.head + 1, historyLimit: configuration.maxTextHistory)
    document.text.isSolo = members.count < 2
    rows.begin(document)
    turn.begin(document, behind: texts.count)
    planRest(of: rows)
    // From now on the ViewModel's changes are steps, too, so that the page has to come back once at most.
    guard isSame else { return .behind }
    return take(
      edit, of: document, base: document.start, from: member, input: input, refusing: reason, rows, turn)
  }

  private func take(
    _ edit: TextEdit, of document: RowDocument, base: Int, from member: Member, input: Int,
    refusing reason: TextBridge.RefusalReason?,
    _ rows: RowTexts, _ turn: TurnBuilder
  ) -> RoomOutcome {
    let wasActive = document.isActive
    rows.wake(document)
    if !wasActive { planRest(of: rows) }
    var bridge = document.bridge(of: member)
    let outcome = Self.take(
      edit, base: base, SharedText.Author(member: member.number, input: input), refusing: reason,
      &document.text, &bridge, as: turn.include(document, behind: texts.count), turn,
      sequence: log.head + 1, limit: textLimit(from: document.text.text.utf8.count, for: member))
    document.bridges[member.number] = bridge
    if case .edited = outcome { feed(document) }
    return outcome
  }

  /// Takes a whole value for a row's text that has a document.
  func set(_ document: RowDocument, to text: String, _ rows: RowTexts, _ turn: TurnBuilder) -> RoomOutcome {
    guard isThere(document) else { return .refused(.unknownRow(document.row)) }
    let limit = textLimit(from: document.text.text.utf8.count, for: member(origin.member))
    guard text.utf8.count <= limit else { return .refused(.tooLarge(document.text.name, limit: limit)) }
    change(document, rows, turn) { $0.set(text, sequence: log.head + 1, isViewModels: false) }
    feed(document)
    return .taken
  }

  private func change(
    _ document: RowDocument, _ rows: RowTexts, _ turn: TurnBuilder, _ body: (inout SharedText) -> [TextEdit]
  ) {
    let wasActive = document.isActive
    let steps = body(&document.text)
    guard !steps.isEmpty else { return }
    rows.wake(document)
    if !wasActive { planRest(of: rows) }
    for step in steps { turn.add(step, to: turn.include(document, behind: texts.count)) }
  }

  /// Gives the ViewModel a row's text.
  private func feed(_ document: RowDocument) {
    document.text.feed(expectsAnswer: true)
    do throws(BindingError) {
      try instance.deliver(
        text: document.text.text, toInput: document.text.name, ofRow: document.row, in: document.output)
    } catch {
      // It took another text of this row, so this is the author's affair.
      report("a text of \(document.key) was not taken: \(error.message)")
    }
  }

  /// Whether the row is there now; notes where.
  func isThere(_ document: RowDocument) -> Bool {
    let list = instance.board.slots[document.output].value
    guard let places = list?.places(of: document.way[...], near: document.places[...]) else { return false }
    document.places = places
    return true
  }

  /// The text that the output shows for a row; nil if the row is not there.
  private func shownText(of document: RowDocument) -> String? {
    guard isThere(document) else { return nil }
    return instance.board.slots[document.output].value?[JSONPointer(document.places)]?.stringValue
  }

  /// Compares the rows' texts with what the ViewModel has made of them in an event.
  func takeRowTexts(_ rows: RowTexts, _ turn: TurnBuilder) {
    var written: [Int: Bool] = [:]
    // Where no turn follows, the others are compared here, too.
    let isTurnLate = isSuspended && !instance.board.keepsChanges
    if isTurnLate { instance.board.update() }
    for document in isTurnLate ? rows.all : rows.active {
      let slot = instance.board.slots[document.output]
      let isWritten = written[document.output] ?? slot.takeUnseenRows()
      written[document.output] = isWritten
      if isWritten { takeShownText(of: document, rows, turn) }
    }
  }

  /// Rows that are changed by the open turn have their texts before it ends: a record is written.
  func takeTextsOfRestingRows() {
    guard let rows, let turn else { return }
    instance.board.prepareRecord(texts: rows.outputs.sorted(), withEvents: false)
    for document in rows.all where instance.board.slots[document.output].isChanging {
      takeShownText(of: document, rows, turn)
    }
  }

  private func takeShownText(of document: RowDocument, _ rows: RowTexts, _ turn: TurnBuilder) {
    guard let text = shownText(of: document), !text.hasSameBytes(as: document.shown) else { return }
    document.shown = text
    change(document, rows, turn) { $0.follow(text, sequence: log.head + 1) }
  }

  /// Follows a turn's changes of a list: documents go with their rows, and end with them.
  func follow(_ operations: [Operation], of slot: OutputSlot, to value: Value, _ turn: TurnBuilder) {
    guard let rows else { return }
    var isOrderOther = false
    // Places count before what comes later moves them.
    let settled = operations.lastIndex { $0.movesRows } ?? -1
    for (index, operation) in operations.enumerated() {
      switch operation {
      case .replace(let path, .string(let text)):
        let places = path.tokens.dropFirst()
        guard let way = value.way(byPlaces: places), way.count % 2 == 0 else { continue }
        guard index > settled, value[JSONPointer(Array(places))]?.stringValue == text else {
          isOrderOther = true
          rows.forgetChanges(through: log.head + 1)
          continue
        }
        if let document = rows.document(atWay: way, of: slot.index) {
          takeShownText(of: document, rows, turn)
        } else {
          rows.note(slot.name, way, in: log.head + 1)
        }
      case .add(let path, .object(let row)) where row["id"] != nil:
        isOrderOther = true
        if path.tokens.count == 2, let id = row["id"]?.idText {
          rows.note(slot.name, [id], in: log.head + 1)
        } else if index >= settled, let way = value.way(byPlaces: path.tokens.dropFirst()), way.count % 2 == 1
        {
          rows.note(slot.name, way, in: log.head + 1)
        } else {
          rows.forgetChanges(through: log.head + 1)
        }
      case .remove, .move:
        isOrderOther = true
      case .add, .replace, .copy, .test:
        isOrderOther = true
        rows.forgetChanges(through: log.head + 1)
      }
    }
    guard isOrderOther else { return }
    for document in rows.documents(of: slot.index) {
      guard isThere(document) else {
        rows.end(document)
        continue
      }
      takeShownText(of: document, rows, turn)
      // A value that came with the row has no field.
      if operations.contains(where: { $0.replaces(document.places, of: document.row, in: slot.name) }) {
        turn.include(document, behind: texts.count)
      }
    }
  }

  /// The texts of its rows, from the first edit of one on.
  private var rowTexts: RowTexts {
    let rows = rows ?? RowTexts(floor: log.head)
    self.rows = rows
    return rows
  }

  /// Has texts that nobody edits any more let go of what late edits would need; those of long lists end.
  private func planRest(of rows: RowTexts) {
    guard !rows.isRestPlanned else { return }
    rows.isRestPlanned = true
    _ = scheduler.scheduleRelative((), dueTime: RxTimeInterval(configuration.rowTextRest)) { [weak self] in
      rows.isRestPlanned = false
      if let self { carets?.carry(in: self) }
      if rows.rest(isStored: self?.keeping != nil) { self?.planRest(of: rows) }
      self?.endEditedRows(rows)
      return Disposables.create()
    }
  }

  /// Has all pages told the texts of a long list's row.
  func beginEditing(_ name: String, of row: [String]) {
    if instance.beginEditing(name, ofRow: row) { planRest(of: rowTexts) }
  }

  /// Pages are told the texts of a long list's row as long as somebody edits one.
  private func endEditedRows(_ rows: RowTexts) {
    guard !instance.windows.isEmpty else { return }
    let edited = Dictionary(grouping: rows.active, by: \.output).mapValues { Set($0.map(\.way[0])) }
    instance.endEditing { id, output in edited[output]?.contains(id) ?? false }
  }

  /// Restores the rows' stored texts.
  func restoreRows(_ stored: StoredRoom) {
    let texts = stored.texts.filter { $0.name.hasPrefix("/") }
    guard !texts.isEmpty || stored.nextRowRevision != nil else { return }
    let rows = RowTexts(floor: log.head, nextRevision: stored.nextRowRevision ?? 0)
    self.rows = rows
    for text in texts {
      if let way = text.way, way.count == 3, instance.isOfLongList(way[0]) {
        _ = instance.beginEditing(way[2], ofRow: [way[1]])
      }
      guard let way = text.way, let slot = instance.board.slots.first(where: { $0.name == way[0] }) else {
        continue
      }
      let document = RowDocument(
        output: slot.index, list: slot.name, way: Array(way.dropFirst()), places: [], text: text.text,
        revision: text.revision, sequence: log.head + 1, historyLimit: configuration.maxTextHistory)
      rows.begin(document)
      if let shown = shownText(of: document) {
        document.shown = shown
        if stored.rowsFollow == true { _ = document.text.follow(shown, sequence: log.head) }
      } else if slot.value != nil {
        rows.end(document)
      }
    }
    // The first commit takes all of them along.
    for _ in 0..<2 { _ = rows.rest(isStored: false) }
    // Pages that go on have been told which rows of long lists are edited.
    instance.board.begin()
  }
}

extension TextBase {
  /// The turn that an edit without a revision refers to.
  fileprivate var sequence: Int? {
    switch self {
    case .sequence(let sequence), .shown(_, let sequence): sequence
    case .revision: nil
    }
  }
}

extension StoredRoom.Text {
  /// The way to a text in a row, from the list's name on; nil if it is a text of the screen.
  fileprivate var way: [String]? {
    guard name.hasPrefix("/") else { return nil }
    do throws(WireError) {
      let way = try JSONPointer(parsing: name).tokens
      return way.count >= 3 && way.count % 2 == 1 ? way : nil
    } catch {
      return nil
    }
  }
}

extension Operation {
  /// Whether rows may have other places than before.
  fileprivate var movesRows: Bool {
    switch self {
    case .replace(_, .string): false
    default: true
    }
  }

  /// Whether it puts a value where a text is, to which a way by places leads, in rows with these ids.
  fileprivate func replaces(_ places: [String], of row: [String], in list: String) -> Bool {
    switch self {
    case .add(let path, .object(let value)) where path.tokens.count > 1:
      // Places count before what comes later moves them; ids do not.
      return value["id"]?.idText.map(row.contains) ?? false
    case .add(let path, _), .replace(let path, _):
      return path.tokens.count <= places.count && ([list] + places).starts(with: path.tokens)
    case .remove, .move, .copy, .test: return false
    }
  }
}
