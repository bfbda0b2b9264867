// SPDX-License-Identifier: Apache-2.0
public import MusubiWire

extension ClientSession {
  /// Sends an input without a value.
  ///
  /// - Parameters:
  ///   - name: The input's name.
  ///   - row: The ids of the rows that it comes from, outermost first.
  public mutating func tap(_ name: String, row: [String] = []) {
    queue(input(name, row: row))
  }

  /// Sends an input with a whole value.
  ///
  /// - Parameters:
  ///   - name: The input's name.
  ///   - value: The value.
  ///   - row: The ids of the rows that it comes from, outermost first.
  public mutating func set(_ name: String, to value: Value, row: [String] = []) {
    queue(input(name, value, row: row))
  }

  /// Puts the caret into a field, or selects a part of its text.
  ///
  /// - Parameters:
  ///   - range: UTF-16 units of the shown text; cut to what there is.
  ///   - name: The two-way text's name.
  public mutating func select(_ range: Range<Int>, in name: String) {
    documents[name]?.select(range)
    screens[shown]?.selections[name] = range
  }

  /// The caret or selection in a field, in UTF-16 units; the end of the text if nothing was selected yet.
  ///
  /// - Parameter name: The two-way text's name.
  /// - Returns: The range, empty for a caret.
  public func selection(in name: String) -> Range<Int> {
    if let document = documents[name] { return document.selection }
    let length = (text(of: name) ?? "").utf16.count
    guard let range = screens[shown]?.selections[name] else { return length..<length }
    return min(range.lowerBound, length)..<min(range.upperBound, length)
  }

  /// Types a text over the selection of a field, as one input.
  ///
  /// - Parameters:
  ///   - text: What is typed; empty to delete the selection.
  ///   - name: The two-way text's name.
  /// - Throws: `ClientError` if there is no such field, or if the selection splits a character's two UTF-16 units.
  public mutating func type(_ text: String, into name: String) throws(ClientError) {
    let selection = selection(in: name)
    let edit = TextEdit(position: selection.lowerBound, deleted: selection.count, inserted: text).typed
    do throws(WireError) {
      guard documents[name] != nil else { return try typeValue(edit, into: name) }
      if documents[name]?.isRefused == true { return try retype(edit, in: name) }
      let number = nextNumber()
      try documents[name]?.edit(edit, number: number)
      queue(Unconfirmed(number: number, name: name, row: [], value: nil, isEdit: true, screen: shown))
    } catch {
      throw ClientError(.textOutOfStep(name: name))
    }
  }

  /// Deletes the selection of a field, or the character before its caret.
  ///
  /// - Parameter name: The two-way text's name.
  /// - Throws: `ClientError` as `type(_:into:)`.
  public mutating func deleteBackward(in name: String) throws(ClientError) {
    let selection = selection(in: name)
    if selection.isEmpty, selection.lowerBound > 0, let text = text(of: name) {
      let caret = text.utf16.index(text.startIndex, offsetBy: selection.lowerBound)
      let character = text[..<caret].last.map { $0.utf16.count } ?? 0
      select(selection.lowerBound - character..<selection.lowerBound, in: name)
    }
    try type("", into: name)
  }

  /// Changes a text of which something was refused, and sends all that is missing as one edit.
  private mutating func retype(_ edit: TextEdit, in name: String) throws(WireError) {
    try documents[name]?.edit(edit, number: 0)
    guard documents[name]?.isBlocked == false else { return }
    let number = nextNumber()
    guard documents[name]?.resubmit(number: number) == true else { return }
    queue(Unconfirmed(number: number, name: name, row: [], value: nil, isEdit: true, screen: shown))
  }

  /// What a client without edits does: it sends the whole text that its field now holds.
  private mutating func typeValue(_ edit: TextEdit, into name: String) throws(WireError) {
    let typed = try edit.applied(to: text(of: name) ?? "")
    let caret = edit.map(caret: selection(in: name).upperBound)
    set(name, to: .string(typed))
    screens[shown]?.selections[name] = caret..<caret
  }

  /// Goes back as a visitor does: closes the open dialog, or else the shown screen.
  ///
  /// - Returns: Whether there was something to close.
  public mutating func goBack() -> Bool {
    guard let top = stack.last else { return false }
    if let dialog = top.dialog {
      close(.dismiss(dialog))
      return true
    }
    guard top.number > 0 else { return false }
    close(.back(top.number))
    return true
  }

  /// Answers the open dialog as its page does: by an input, which carries the id of what it is about, and closes it.
  ///
  /// - Parameter name: The input's name.
  /// - Returns: Whether a dialog was open.
  public mutating func answer(_ name: String) -> Bool {
    guard let top = stack.last, let dialog = top.dialog else { return false }
    let id = top.dialogValue?["id"].map { $0.stringValue ?? $0.description }
    tap(name, row: id.map { [$0] } ?? [])
    close(.dismiss(dialog))
    return true
  }

  private mutating func close(_ payload: ClientFrame.Input.Payload) {
    var closing = input("")
    closing.closing = payload
    queue(closing)
  }

  private mutating func input(_ name: String, _ value: Value? = nil, row: [String] = []) -> Unconfirmed {
    Unconfirmed(number: nextNumber(), name: name, row: row, value: value, isEdit: false, screen: shown)
  }

  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  private mutating func queue(_ input: Unconfirmed) {
    outbox.append(input)
    if phase == .live { send(input) }
  }

  /// Sends everything that is not acknowledged, with the numbers that it has.
  mutating func sendOutbox() {
    for input in outbox { send(input) }
  }

  private mutating func send(_ input: Unconfirmed) {
    emit(
      .input(
        ClientFrame.Input(
          number: input.number, name: input.name, payload: payload(of: input), row: input.row,
          screen: input.screen)))
  }

  private func payload(of input: Unconfirmed) -> ClientFrame.Input.Payload {
    if let closing = input.closing { return closing }
    if let value = input.value { return .value(value) }
    guard input.isEdit, let document = screens[input.screen]?.documents[input.name],
      let pending = document.pending.first(where: { $0.number == input.number })
    else { return .none }
    // The edit as it stands now, against the revision that the client has now: what came between was worked in.
    return .edit(pending.edit, revision: document.revision)
  }
}
