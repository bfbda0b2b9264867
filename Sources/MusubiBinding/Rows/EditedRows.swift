// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiWire

/// The rows of a long list that somebody edits, as an output of its own: `cards..edited` beside `cards`.
///
/// A page is told the rows that it looks at; a two-way text is every page's, whatever it looks at, so it needs a list that
/// all pages have. A row is there from the first edit of one of its texts until none of them is edited any more.
///
/// ```
/// cards         {"count": 5000}                           each page gets its rows in frames of its own
/// cards..edited [{"id": 7, "title": "Buy bre", ...}]      turns and snapshots, as of any list
/// ```
final class EditedRows {
  /// What is behind the list's name; no author's name has two dots in a row.
  static let suffix = "..edited"

  let slot: OutputSlot
  /// The names of the rows' texts that inputs take.
  let texts: [String]
  private unowned let list: WindowedOutput
  /// The element of the list that the rows are from.
  private var version = 0

  /// No row is edited.
  init(of list: WindowedOutput, texts: [String], in slot: OutputSlot) {
    self.list = list
    self.texts = texts
    self.slot = slot
    slot.write([])
  }

  /// So many rows are edited at once at most.
  static let most = 256

  /// Whether the row of an id is among them.
  func has(_ id: String) -> Bool { slot.value?.hasRow([id]) == true }

  /// Adds the row of an id, unless it is there already, or they are too many.
  ///
  /// - Returns: Whether it is new.
  func begin(_ id: String) -> Bool {
    let rows = slot.value?.arrayValue ?? []
    guard rows.count < Self.most, !has(id), let row = read(id, else: nil) else { return false }
    slot.write(.array(rows + [row]))
    return true
  }

  /// Takes out the rows that nobody edits any more.
  ///
  /// - Parameter isEdited: Whether somebody edits the row of an id.
  func end(unless isEdited: (String) -> Bool) {
    // `nil` alone would be JSON's null.
    keep { id, row in isEdited(id) ? row : Value?.none }
  }

  /// Shows their texts as they are now, if the list may have other rows than at the last call.
  func refresh() {
    guard list.version != version else { return }
    version = list.version
    keep { read($0, else: $1) }
  }

  /// The id and the texts of a row as it is now.
  ///
  /// - Parameters:
  ///   - id: The id as pages tell it.
  ///   - old: What counts if it cannot be read.
  /// - Returns: Them; nil if the row is not there.
  private func read(_ id: String, else old: Value?) -> Value? {
    do {
      guard let row = try list.row(id).flatMap(part), let found = row["id"] else { return nil }
      // A list may take ids that are spelled in another way; and one that changes under the reader has another row there.
      return Self.text(of: found).utf8.elementsEqual(id.utf8) ? row : old
    } catch {
      slot.board?.report("the row \(id.prefix(80)) of \"\(list.name)\" cannot be read: \(error)")
      return old
    }
  }

  private func keep(_ next: (String, Value) -> Value?) {
    guard let rows = slot.value?.arrayValue, !rows.isEmpty else { return }
    let kept = rows.compactMap { row in row["id"].flatMap { next(Self.text(of: $0), row) } }
    if kept != rows { slot.write(.array(kept)) }
  }

  /// The row's id and texts.
  private func part(of row: Value) -> Value? {
    guard case .object(let members) = row else { return nil }
    return .object(
      Value.Object(
        uniqueMembers: members.members.filter {
          $0.key == "id" || texts.contains($0.key) && $0.value.stringValue != nil
        }))
  }

  /// An id as pages tell it.
  private static func text(of id: Value) -> String { id.idText ?? "" }
}

extension ScreenBuilder {
  /// Adds the lists of edited rows, once all inputs are known.
  func declareEditedRows() {
    let outputs = Set(board.slots.map(\.name))
    // The rows of a ViewModel's list have inputs of their own.
    let texts = inputs.filter { !$0.isOfRows && !outputs.contains($0.name) && Self.takesText($0) }.map(
      \.name)
    guard !texts.isEmpty else { return }
    for output in windows {
      let name = output.name + EditedRows.suffix
      output.edited = EditedRows(of: output, texts: texts, in: board.declare(name))
    }
  }
}

extension ScreenInstance {
  /// Whether a text may be one of a long list's row of which pages are not told the texts.
  ///
  /// - Parameters:
  ///   - name: The text's name.
  ///   - row: The ids of the rows that it is in, outermost first.
  /// - Returns: Whether a list has edited rows of such texts, and not this one.
  package func mayBeginEditing(_ name: String, ofRow row: [String]) -> Bool {
    row.count == 1
      && windows.contains { $0.edited.map { $0.texts.contains(name) && !$0.has(row[0]) } ?? false }
  }

  /// Has the texts of a long list's row be told to all pages, before the first edit of one of them.
  ///
  /// - Parameters:
  ///   - name: The text's name.
  ///   - row: The ids of the rows that it is in, outermost first.
  /// - Returns: Whether they were not before.
  package func beginEditing(_ name: String, ofRow row: [String]) -> Bool {
    guard row.count == 1 else { return false }
    return windows.contains { window in
      window.edited.map { $0.texts.contains(name) && $0.begin(row[0]) } ?? false
    }
  }

  /// Ends that for rows of which nobody edits a text any more.
  ///
  /// - Parameter isEdited: Whether somebody edits a text of the row of an id, in the output of a position.
  package func endEditing(unless isEdited: (_ id: String, _ output: Int) -> Bool) {
    for case let edited? in windows.map(\.edited) { edited.end { isEdited($0, edited.slot.index) } }
  }

  /// Has the rows that somebody edits show what the lists have for them now, at the end of an event.
  package func refreshEditedRows() {
    for window in windows { window.edited?.refresh() }
  }

  /// Whether an output has the rows of a long list that somebody edits.
  package func holdsEditedRows(_ output: Int) -> Bool {
    windows.contains { $0.edited?.slot.index == output }
  }

  /// Whether an output of a name has the rows of a long list that somebody edits.
  package func isOfLongList(_ output: String) -> Bool {
    windows.contains { $0.edited?.slot.name == output }
  }

  /// Why a text is none of a long list's row that pages are told; nil if rows of long lists have none of that name.
  ///
  /// The row has gone, though another list may have one of its id; or too many are edited.
  func refusal(of name: String, row: [String]) -> BindingError? {
    let lists = windows.filter { $0.edited?.texts.contains(name) == true }
    guard !lists.isEmpty, row.count == 1 else { return nil }
    let full = lists.first { $0.position(ofRow: row[0]) != nil }
    return full.map { .tooManyEdited($0.name) } ?? .unknownRow(row)
  }
}
