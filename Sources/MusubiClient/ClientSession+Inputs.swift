// SPDX-License-Identifier: Apache-2.0
internal import MusubiText
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

  /// Sends an input with a whole value; one that is too long for the server is only kept, see
  /// `charactersTooLong(in:row:)`.
  ///
  /// - Parameters:
  ///   - name: The input's name.
  ///   - value: The value.
  ///   - row: The ids of the rows that it comes from, outermost first.
  public mutating func set(_ name: String, to value: Value, row: [String] = []) {
    if row.isEmpty {
      screens[shown]?.chosen.removeAll { $0 == name }
      screens[shown]?.chosen.append(name)
    }
    queue(input(name, value, row: row))
  }

  /// Where the shown screen's page may send files to a control: a path of the server.
  ///
  /// - Parameter name: The control's name.
  /// - Returns: The path; nil if the server has told none.
  public func uploadAddress(of name: String) -> String? {
    screens[shown]?.uploads?[name]?["to"]?.stringValue
  }

  /// Puts the caret into a field, or selects a part of its text.
  ///
  /// - Parameters:
  ///   - range: UTF-16 units of the shown text; cut to what there is.
  ///   - name: The two-way text's name.
  ///   - row: The ids of the rows that it is in, outermost first.
  public mutating func select(_ range: Range<Int>, in name: String, row: [String] = []) {
    guard let key = key(of: name, row: row) else { return }
    documents[key]?.select(range)
    screens[shown]?.selections[key] = range
  }

  /// The caret or selection in a field, in UTF-16 units; the end of the text if nothing was selected yet.
  ///
  /// - Parameters:
  ///   - name: The two-way text's name.
  ///   - row: The ids of the rows that it is in, outermost first.
  /// - Returns: The range, empty for a caret.
  public func selection(in name: String, row: [String] = []) -> Range<Int> {
    let key = key(of: name, row: row) ?? ""
    if let document = documents[key] { return document.selection }
    let length = (text(of: name, row: row) ?? "").utf16.count
    guard let range = screens[shown]?.selections[key] else { return length..<length }
    return min(range.lowerBound, length)..<min(range.upperBound, length)
  }

  /// Types a text over the selection of a field, as one input.
  ///
  /// - Parameters:
  ///   - text: The typed text; empty to delete the selection.
  ///   - name: The two-way text's name.
  ///   - row: The ids of the rows that it is in, outermost first.
  /// - Throws: `ClientError` if there is no such field, or if the selection splits a character's two UTF-16 units.
  public mutating func type(_ text: String, into name: String, row: [String] = []) throws(ClientError) {
    let selection = selection(in: name, row: row)
    let edit = TextEdit(position: selection.lowerBound, deleted: selection.count, inserted: text).typed
    guard let key = key(of: name, row: row) else { throw ClientError(.textOutOfStep(name: name)) }
    do throws(TextEditError) {
      if followsEdits, !row.isEmpty, documents[key] == nil, let text = fieldText(key, in: state) {
        documents[key] = ClientDocument(rowText: text)
        documents[key]?.select(selection)
      }
      guard documents[key] != nil else { return try typeValue(edit, into: name, row: row) }
      tooLong[Place(name: name, row: row, screen: shown)] = nil
      try change(key, by: edit)
    } catch {
      throw ClientError(.textOutOfStep(name: name))
    }
  }

  /// Deletes the selection of a field, or the character before its caret.
  ///
  /// - Parameters:
  ///   - name: The two-way text's name.
  ///   - row: The ids of the rows that it is in, outermost first.
  /// - Throws: `ClientError` as `type(_:into:row:)`.
  public mutating func deleteBackward(in name: String, row: [String] = []) throws(ClientError) {
    let selection = selection(in: name, row: row)
    if selection.isEmpty, selection.lowerBound > 0, let text = text(of: name, row: row) {
      let caret = text.utf16.index(text.startIndex, offsetBy: selection.lowerBound)
      let character = text[..<caret].last.map { $0.utf16.count } ?? 0
      select(selection.lowerBound - character..<selection.lowerBound, in: name, row: row)
    }
    try type("", into: name, row: row)
  }

  /// Types as a client without edits does: it sends the whole text of its field.
  private mutating func typeValue(_ edit: TextEdit, into name: String, row: [String]) throws(TextEditError) {
    let typed = try edit.applied(to: text(of: name, row: row) ?? "")
    let caret = edit.map(caret: selection(in: name, row: row).upperBound)
    set(name, to: .string(typed), row: row)
    if let key = key(of: name, row: row) { screens[shown]?.selections[key] = caret..<caret }
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

  /// Answers the open dialog as its page does: it is closed, and then comes an
  /// input, which carries the id of the dialog's subject.
  ///
  /// - Parameter name: The input's name.
  /// - Returns: Whether a dialog was open.
  public mutating func answer(_ name: String) -> Bool {
    guard let top = stack.last, let dialog = top.dialog else { return false }
    let id = top.dialogValue?["id"].map { $0.stringValue ?? $0.description }
    // Closed first: a ViewModel may ask again in its answer, by a dialog of the same name.
    close(.dismiss(dialog))
    tap(name, row: id.map { [$0] } ?? [])
    return true
  }

  private mutating func close(_ payload: ClientFrame.Input.Payload) {
    var closing = input("")
    closing.closing = payload
    queue(closing)
  }

  private func input(_ name: String, _ value: Value? = nil, row: [String] = []) -> Unconfirmed {
    Unconfirmed(number: lastNumber + 1, name: name, row: row, value: value, isEdit: false, screen: shown)
  }

  /// Queues an input; what no frame can hold is kept, if it is a value.
  private mutating func queue(_ input: Unconfirmed) {
    tooLong[input.place] = nil
    guard excess(of: input) <= 0 else {
      if input.value != nil { tooLong[input.place] = input }
      return
    }
    enqueue(input)
  }

  mutating func enqueue(_ input: Unconfirmed) {
    lastNumber = input.number
    outbox.append(input)
    if phase == .live { frames.append(frame(of: input)) }
  }

  /// Sends everything that is not acknowledged, with the numbers that it has.
  mutating func sendOutbox() throws(ClientError) {
    // Others may have cut an edit into more places than a frame holds. Taken edits have left the outbox, so
    // that new numbers double nothing.
    for input in outbox where input.isEdit && excess(of: input) > 0 {
      try withdrawEdits(from: input.number, isRefused: false)
    }
    shareStranded()
    phase = .live
    frames += outbox.map { frame(of: $0) }
  }

  /// The frame of an input, which carries its present payload, or another one.
  func frame(of input: Unconfirmed, carrying payload: ClientFrame.Input.Payload? = nil) -> [UInt8] {
    let input = ClientFrame.Input(
      number: input.number, name: input.name, payload: payload ?? self.payload(of: input), row: input.row,
      screen: input.screen)
    return [UInt8](writing: { $0.appendJSON(.input(input)) })
  }

  private func payload(of input: Unconfirmed) -> ClientFrame.Input.Payload {
    if let closing = input.closing { return closing }
    if let value = input.value { return .value(value) }
    guard input.isEdit, let document = screens[input.screen]?.documents[input.key],
      let pending = document.pending.first(where: { $0.number == input.number })
    else { return .none }
    // The edit as it stands now, against the revision that the client has now: what came between was worked in.
    guard document.isBegun else {
      return .firstEdit(
        pending.edit, sequence: screens[input.screen]?.position?.sequence ?? 0,
        shown: Self.isOfLongList(input.key) && document.serverText.utf8.count <= limits.frame / 8
          ? document.serverText : nil)
    }
    return .edit(pending.edit, revision: document.revision)
  }
}
