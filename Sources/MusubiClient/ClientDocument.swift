// SPDX-License-Identifier: Apache-2.0
internal import MusubiText
internal import MusubiWire

/// A two-way text as one client sees it.
///
/// ```
/// server's text at `revision` ── pending[0] ── pending[1] ──► shown text
///            │ step (somebody else's)                             │ step′
///            ▼                                                    ▼
/// server's text at `revision + 1` ── pending[0]′ ── pending[1]′ ──► shown text
/// ```
///
/// The invariant is the upper line; a step that arrives moves it down by one.
struct ClientDocument: Equatable, Sendable {
  /// An own edit that the server's text does not include yet.
  struct Pending: Equatable, Sendable {
    /// The number of the input that carries the edit; 0 as long as none does.
    var number: Int
    /// The change of the text that the pending edits before it have made.
    var edit: TextEdit
    /// The revision that the server has given to it, once that is known.
    var revision: Int?
    /// Whether the server has refused it: it waits for the person's next change.
    var isRefused = false
  }

  /// The server's text.
  private(set) var serverText: String
  /// The revision of `serverText`.
  private(set) var revision: Int
  /// Whether the server has a document, too; a row's text has none before its first edit, and no revision.
  private(set) var isBegun = true
  /// What the client shows.
  private(set) var text: String
  /// Own edits that are not part of `serverText`, oldest first.
  private(set) var pending: [Pending] = []
  /// The caret or the selection, in UTF-16 units of `text`.
  private(set) var selection: Range<Int>
  /// Whether an edit was refused and the empty step that stands for it has not come yet.
  private(set) var isBlocked = false

  init(text: String, revision: Int) {
    serverText = text
    self.revision = revision
    self.text = text
    selection = text.utf16.count..<text.utf16.count
  }

  /// The text of a row that has no document on the server.
  init(rowText text: String) {
    self.init(text: text, revision: 0)
    isBegun = false
  }

  /// The server begins the document: its text before the first step of a turn has a revision now.
  mutating func begin(text: String, revision: Int) throws(TextEditError) {
    try follow(text)
    self.revision = revision
    isBegun = true
  }

  /// The text of a row has changed that has no document on the server.
  mutating func follow(_ newText: String) throws(TextEditError) {
    guard !newText.hasSameBytes(as: serverText) else { return }
    let step = Self.difference(from: serverText, to: newText)
    serverText = newText
    try rebase(over: step)
  }

  mutating func select(_ range: Range<Int>) {
    selection = range.clamped(to: 0..<max(text.utf16.count, 0))
    if range.lowerBound >= text.utf16.count { selection = text.utf16.count..<text.utf16.count }
  }

  /// Applies an own edit at once and keeps it as pending.
  mutating func edit(_ edit: TextEdit, number: Int) throws(TextEditError) {
    try edit.apply(to: &text)
    pending.append(Pending(number: number, edit: edit))
    let caret = edit.map(caret: selection.upperBound)
    selection = caret..<caret
  }

  /// Notes the revision that the server gave to an own edit.
  mutating func assign(revision: Int, to number: Int) {
    guard let index = pending.firstIndex(where: { $0.number == number }) else { return }
    pending[index].revision = revision
  }

  /// Applies the steps of a turn.
  mutating func apply(_ change: ReceivedFrame.TextChange) throws(TextEditError) {
    var number = change.revision - change.steps.count
    for step in change.steps {
      number += 1
      guard number > revision else { continue }
      try step.apply(to: &serverText)
      revision = number
      if step.components.isEmpty { isBlocked = false }
      if let first = pending.first, first.revision == number {
        pending.removeFirst()
      } else {
        try rebase(over: step)
      }
    }
  }

  /// Replaces the server's text by that of a snapshot, keeping what the server has not taken yet.
  ///
  /// - Parameters:
  ///   - snapshot: The text.
  ///   - revision: Its revision; nil if the server has no document.
  ///   - acknowledged: The highest number of an input that the server has taken.
  /// - Throws: `TextEditError` if an edit does not fit, which is a mistake of the server or of this code.
  mutating func replace(by snapshot: String, revision: Int?, acknowledged: Int) throws(TextEditError) {
    // Taken edits are part of the snapshot: they move into the old text first, so that the difference holds
    // others' changes only and the rest of the pending edits still fits.
    try takeIn(acknowledged: acknowledged)
    let step = Self.difference(from: serverText, to: snapshot)
    serverText = snapshot
    self.revision = revision ?? 0
    isBegun = revision != nil
    isBlocked = false
    try rebase(over: step)
  }

  /// The server has no document any longer; its text is the one before, with the edits that it has taken.
  mutating func loosen(acknowledged: Int) throws(TextEditError) {
    try takeIn(acknowledged: acknowledged)
    (revision, isBegun, isBlocked) = (0, false, false)
  }

  /// Edits that the server has taken become part of its text.
  private mutating func takeIn(acknowledged: Int) throws(TextEditError) {
    while let first = pending.first,
      first.number > 0 && first.number <= acknowledged || first.revision != nil
    {
      try first.edit.apply(to: &serverText)
      pending.removeFirst()
    }
  }

  /// An own edit and all that were made after it are not on their way: they stay in the field, as one edit.
  ///
  /// - Parameters:
  ///   - number: The number of the first one.
  ///   - isRefused: Whether the server has refused it; nobody sends it then before the person has changed the text.
  /// - Returns: The numbers of all of them.
  /// - Throws: `TextEditError` if an edit does not fit, which is a mistake of this code.
  mutating func withdraw(from number: Int, isRefused: Bool) throws(TextEditError) -> [Int] {
    guard let first = pending.firstIndex(where: { $0.number == number }) else { return [] }
    let withdrawn = pending[first...].map(\.number)
    var before = serverText
    for own in pending[..<first] { try own.edit.apply(to: &before) }
    let edit = Self.difference(from: before, to: text)
    pending[first...] = [Pending(number: 0, edit: edit, isRefused: isRefused)]
    if isRefused { isBlocked = true }
    return withdrawn
  }

  /// A new session begins, whose numbers go on where those of the old one ended.
  ///
  /// - Parameter taken: The number of the last input that is part of the text that the next snapshot brings.
  /// - Returns: The numbers of the inputs to send again.
  mutating func carryOver(taken: Int) -> [Int] {
    for index in pending.indices { pending[index].revision = nil }
    isBlocked = false
    return pending.filter { $0.number > taken }.map(\.number)
  }

  private static func difference(from old: String, to new: String) -> TextEdit {
    TextEdit.diff(from: old, to: new, byPlace: false)
  }

  /// Whether there is text that is not on its way.
  var isStranded: Bool { pending.contains { $0.number == 0 } }

  /// The unsent difference, as one edit of the server's text; nil if there is none, or if it has to wait.
  var stranded: TextEdit? {
    guard !isBlocked, pending.last?.isRefused == false, pending.allSatisfy({ $0.number == 0 }) else {
      return nil
    }
    return Self.difference(from: serverText, to: text)
  }

  /// Puts the unsent difference into inputs.
  ///
  /// - Parameter inputs: The parts of `stranded`, in order, with the numbers of their inputs.
  mutating func resubmit(as inputs: [(number: Int, edit: TextEdit)]) {
    pending = inputs.map { Pending(number: $0.number, edit: $0.edit) }
  }

  private mutating func rebase(over step: TextEdit) throws(TextEditError) {
    let (mine, theirs) = TextEdit.transform(pending.map(\.edit), [step])
    for index in pending.indices { pending[index].edit = mine[index] }
    try show(theirs)
  }

  private mutating func show(_ steps: [TextEdit]) throws(TextEditError) {
    for step in steps {
      try step.apply(to: &text)
      let start = step.map(caret: selection.lowerBound)
      let end = selection.isEmpty ? start : step.map(caret: selection.upperBound, staysBefore: true)
      selection = start..<max(start, end)
    }
  }
}
