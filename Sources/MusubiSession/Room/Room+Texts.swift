// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiText
import MusubiWire

/// Inputs, and the two-way texts of the screen.
extension Room {
  /// Takes an input, which may be the whole text of a field.
  func input(_ name: String, _ value: Value?, row: [String], _ turn: TurnBuilder) -> RoomOutcome {
    if let index = textIndex(name), case .string(let text) = value {
      let limit = textLimit(from: texts[index].text.utf8.count, for: member(origin.member))
      guard text.utf8.count <= limit else { return .refused(.tooLarge(name, limit: limit)) }
      let before = texts[index].text.utf8.count
      for step in texts[index].set(text, sequence: log.head + 1, isViewModels: false) {
        turn.add(step, to: index)
      }
      noteTyped(text.utf8.count - before, by: origin.member)
      texts[index].isChangedByInput = true
      return feed(index) ?? .taken
    }
    // A long list's row that nobody has edited for a while takes values as before its first edit.
    if !row.isEmpty, let rows, let document = rows.document(name, row), case .string(let text) = value,
      !instance.holdsEditedRows(document.output) || isThere(document)
    {
      do throws(BindingError) {
        // Another list may have a row of these ids by now.
        let output = try instance.output(ofRow: row, for: name)
        if output ?? document.output == document.output { return set(document, to: text, rows, turn) }
      } catch {
        return .refused(error)
      }
    }
    if row.isEmpty, !instance.windows.isEmpty, let (_, part) = instance.window(named: name) {
      return look(at: name, part, value)
    }
    do {
      if sharedSchema.files.isEmpty || sharedSchema.files[name] == nil {
        try instance.deliver(name, value, row: row)
      } else {
        try deliverFile(name, value, row: row)
      }
      noteInput(row.isEmpty ? name : "")
      return .taken
    } catch {
      return .refused(error)
    }
  }

  /// Gives the ViewModel the text of a field.
  func feed(_ index: Int) -> RoomOutcome? {
    texts[index].feed(expectsAnswer: instance.board.expectsQuestions(of: sharedSchema.textOutputs[index]))
    do {
      try instance.deliver(text: texts[index].text, toInput: sharedSchema.textInputs[index])
      return nil
    } catch {
      return .refused(error)
    }
  }

  /// The place of a text of the screen among its texts; nil if it has none of that name.
  func textIndex(_ name: String) -> Int? { texts.firstIndex { $0.name == name } }

  /// Compares the texts with what the ViewModel has made of them in an event.
  func takeTexts(_ turn: TurnBuilder) {
    for index in texts.indices {
      let output = sharedSchema.textOutputs[index]
      // The newest text waits for a page. Answers do not: each takes the place of some of the changes before it.
      if isSuspended, !instance.board.expectsQuestions(of: output) { continue }
      if let (text, question) = instance.board.takeText(of: output) {
        let steps =
          if let question {
            texts[index].answer(text, to: question, sequence: log.head + 1)
          } else {
            texts[index].set(text, sequence: log.head + 1)
          }
        for step in steps { turn.add(step, to: index) }
        if !steps.isEmpty, origin.input > 0 { texts[index].isChangedByInput = true }
      }
    }
    guard let rows else { return }
    instance.refreshEditedRows()
    takeRowTexts(rows, turn)
  }

  /// Takes an edit of a text of the screen.
  func edit(
    _ name: String, _ edit: TextEdit, base: Int, from number: Int, input: Int,
    refusing reason: TextBridge.RefusalReason? = nil,
    _ turn: TurnBuilder
  ) -> RoomOutcome {
    guard let index = textIndex(name) else {
      return .refused(
        instance.input(named: name) == nil
          ? .unknownInput(name, known: instance.inputs.map(\.name))
          : BindingError(.wrongType, "The input \"\(name)\" takes whole values, not edits."))
    }
    guard let member = member(number) else { return .taken }
    let author = SharedText.Author(member: number, input: input)
    let outcome = Self.take(
      edit, base: base, author, refusing: reason, &texts[index], &member.bridges[index], as: index, turn,
      sequence: log.head + 1, limit: textLimit(from: texts[index].text.utf8.count, for: member))
    guard case .edited = outcome else { return outcome }
    texts[index].isChangedByInput = true
    let refusal = feed(index)
    noteInput("")
    return refusal ?? outcome
  }

  /// Takes an edit of a text, whosever it is, and has the turn tell it.
  ///
  /// - Returns: `edited` if it was taken.
  static func take(
    _ edit: TextEdit, base: Int, _ author: SharedText.Author, refusing reason: TextBridge.RefusalReason?,
    _ text: inout SharedText,
    _ bridge: inout TextBridge, as number: Int, _ turn: TurnBuilder, sequence: Int, limit: Int
  ) -> RoomOutcome {
    do {
      // Of an edit that is refused anyway nothing is worked out: that may be what has ended the process.
      var reason = reason
      if reason == nil,
        try isTooLong(edit, base: base, author, text, bridge, sequence: sequence, limit: limit)
      {
        reason = .tooLong
      }
      if let reason {
        guard base >= bridge.refusal else { return .refused(refusal(of: text, bridge, limit: limit)) }
        text.refuse(bridge: &bridge, input: author.input, reason: reason, sequence: sequence)
        turn.add(TextEdit([]), to: number)
        return .refused(refusal(of: text, bridge, limit: limit))
      }
      let moved = try text.apply(edit, base: base, bridge: &bridge, author: author, sequence: sequence)
      turn.add(moved ?? edit, to: number)
      return .edited(revision: text.revision)
    } catch {
      switch error {
      case .afterRefusal: return .refused(refusal(of: text, bridge, limit: limit))
      case .historyTrimmed: return .behind
      case .forgottenRevision:
        return .violation(
          "The edit refers to revision \(base) of \"\(text.name)\", older than what the page has shown to know."
        )
      case .futureRevision:
        return .violation("The edit refers to revision \(base), which \"\(text.name)\" does not have yet.")
      case .outsideText(let error):
        return .violation("The edit does not fit the text of \"\(text.name)\": \(error).")
      }
    }
  }

  /// The most bytes of UTF-8 that a member may make of a text which has so many now.
  func textLimit(from bytes: Int, for member: Member?) -> Int {
    var allowance = resources.store?.textAllowance(of: keeping?.label) ?? .max
    // Typed text is kept up to five times: in the document, its past and the turn, as the shown value and by the
    // ViewModel.
    if resources.memory.isTight, let member {
      allowance = min(allowance, member.session.charge.owner.allowance / 5)
    }
    let limit = configuration.maxTextBytes
    return allowance < limit - bytes ? bytes + allowance : limit
  }

  /// Whether an edit makes a text longer than the limit, or even longer if the ViewModel has made it too long.
  ///
  /// A unit that goes had one to three bytes: near the limit a copy tells how many.
  private static func isTooLong(
    _ edit: TextEdit, base: Int, _ author: SharedText.Author, _ text: SharedText, _ bridge: TextBridge,
    sequence: Int, limit: Int
  ) throws(SharedText.EditRefusal) -> Bool {
    let (before, growth) = (text.text.utf8.count, edit.maxGrowth)
    guard growth > 0, before + growth > limit else { return false }
    return try text.size(after: edit, base: base, bridge: bridge, author: author, sequence: sequence)
      > max(limit, before)
  }

  /// Why a member's last edit of a text was refused, and those that were made after it.
  static func refusal(of text: SharedText, _ bridge: TextBridge, limit: Int) -> BindingError {
    switch bridge.refusalReason {
    case .tooLong: .tooLarge(text.name, limit: limit)
    case .deadly: .deadly
    case .notAllowed: .notAllowed(text.name)
    }
  }

  /// Why a member's last edit of a text was refused.
  func refusal(of text: SharedText, _ bridge: TextBridge) -> BindingError {
    Self.refusal(of: text, bridge, limit: configuration.maxTextBytes)
  }
}
