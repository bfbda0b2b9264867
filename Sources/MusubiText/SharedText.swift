// SPDX-License-Identifier: Apache-2.0

/// A two-way text of a room: the document that all its fields show, its revision, and its recent edits.
///
/// Edits come against a revision that their author had seen; `apply` transforms them over what came between, by the
/// author's `Bridge`. The algorithm is Wire.md's: one Jupiter state space between the room and each author.
///
/// ```
/// history   … e14 e15 e16            e15 is Ann's, e14 and e16 are not
/// Ann sends an edit p against revision 13 (she has seen neither e14 nor e16):
/// her bridge is [e14′ e16]           e14 moved past her e15 when that arrived; p goes over both
/// ```
package struct SharedText {
  /// Who made an edit: a member of the room, by its input's number.
  package struct Author: Equatable, Sendable {
    /// The member's number in the room.
    package let member: Int
    /// The number of the input that carried the edit.
    package let input: Int

    package init(member: Int, input: Int) {
      self.member = member
      self.input = input
    }
  }

  /// One change of the document.
  package struct Step {
    /// The change, against the document of the revision before.
    package let edit: TextEdit
    /// The member who made it, 0 if the ViewModel did, or a client that sends whole values.
    let member: Int
    /// The number of the member's input.
    let input: Int
    /// The turn that carries it.
    package let sequence: Int

    init(edit: TextEdit, author: Author?, sequence: Int) {
      self.edit = edit
      member = author?.member ?? 0
      input = author?.input ?? 0
      self.sequence = sequence
    }
  }

  /// The name on the wire.
  package let name: String
  /// The document.
  package private(set) var text: String
  /// How often the document has changed.
  package private(set) var revision: Int
  private var history: [Step] = []
  private let historyLimit: Int
  /// The most components that are looked at to carry one edit over what its author has not seen.
  ///
  /// A frame may hold thousands, and there may be thousands of steps: a loop would work for a second, for one input.
  static let maxWork = 1 << 16
  /// Whether at most one member edits: it lags behind by its own connection's delay, and by nobody else's edits.
  package var isSolo = false
  /// Whether an input has changed it since the room began.
  package var isChangedByInput = false
  /// The revision up to which `takeTyped` has told.
  private var countedRevision: Int
  /// The turn of the last step that is no longer kept.
  private var trimmedSequence = 0
  private var questions = TextQuestions()

  /// A document without a past.
  ///
  /// - Parameters:
  ///   - name: The name on the wire.
  ///   - text: What the field shows first.
  ///   - historyLimit: How many steps are kept for late edits, at least 1.
  ///   - revision: How often it has changed before, if it was stored.
  ///   - sequence: The turn that it was stored after.
  package init(name: String, text: String, historyLimit: Int, revision: Int = 0, sequence: Int = 0) {
    self.name = name
    self.text = text
    self.historyLimit = historyLimit
    self.revision = revision
    countedRevision = revision
    trimmedSequence = sequence
  }

  /// The revision after a turn, as far as the steps since are kept.
  package func revision(at sequence: Int) -> Int {
    revision - history.reversed().prefix { $0.sequence > sequence }.count
  }

  /// The turn of the last step.
  package var lastSequence: Int { history.last?.sequence ?? trimmedSequence }

  /// The edits since a revision, oldest first; nil if they are no longer kept.
  package func edits(after revision: Int) -> [TextEdit]? {
    guard revision >= oldestBase else { return nil }
    return history[Int(revision - oldestBase)...].map(\.edit)
  }

  /// The oldest revision that a late edit may refer to.
  package var oldestBase: Int { revision - Int(history.count) }

  /// Applies a member's edit.
  ///
  /// - Parameters:
  ///   - edit: The edit, in positions of the member's own text.
  ///   - base: The highest revision that the member had applied.
  ///   - bridge: The member's side of the state space.
  ///   - author: Who the member is, and which input this was.
  ///   - sequence: The turn that will carry the step.
  /// - Returns: The edit as it changed the document; nil if it did as it came.
  /// - Throws: `EditRefusal`; nothing has changed then.
  package mutating func apply(
    _ edit: TextEdit, base: Int, bridge: inout TextBridge, author: Author, sequence: Int
  ) throws(EditRefusal) -> TextEdit? {
    guard base <= revision else { throw .futureRevision }
    guard base >= max(bridge.known, 0) else { throw .forgottenRevision }
    guard base >= bridge.refusal else { throw .afterRefusal }
    guard base >= oldestBase, base >= bridge.floor else { throw .historyTrimmed }
    if bridge.head == revision || base == revision, !bridge.hasUnseenSteps(after: base) {
      // Nobody else has changed the text, as in a room with one typist.
      do { try commit(edit, author: author, sequence: sequence) } catch { throw .outsideText(error) }
      bridge.restartSeen(at: revision)
      bridge.take(base: base)
      return nil
    }
    var extended = bridge
    extended.drop(through: base)
    let seen = max(extended.head, base, oldestBase)
    for (offset, step) in history[Int(seen - oldestBase)...].enumerated() {
      extended.append(step.edit, revision: seen + Int(offset) + 1)
    }
    guard let moved = extended.carry(edit, maxWork: Self.maxWork) else { throw .historyTrimmed }
    do {
      // Applied to a copy of the reference; the text itself changes only if the whole edit fits.
      try commit(moved, author: author, sequence: sequence)
    } catch {
      throw .outsideText(error)
    }
    bridge = extended
    bridge.head = revision
    bridge.take(base: base)
    return moved
  }

  /// Where a member's selection is in the document; nothing changes.
  ///
  /// - Parameters:
  ///   - selection: In positions of the member's own text, behind all edits that have come from it.
  ///   - base: The highest revision that the member had applied.
  ///   - bridge: The member's side of the state space.
  /// - Returns: The selection in the document; nil if an edit against that revision would not be taken.
  package func place(of selection: Range<Int>, base: Int, bridge: TextBridge) -> Range<Int>? {
    guard base <= revision, base >= max(bridge.known, bridge.refusal, bridge.floor) else { return nil }
    guard let others = edits(after: max(bridge.head, base)) else { return nil }
    let steps = bridge.unseenSteps(after: base) + others
    guard steps.reduce(0, { $0 + $1.count }) <= Self.maxWork else { return nil }
    return steps.reduce(selection) { $1.map(selection: $0) }
  }

  /// The bytes of UTF-8 that the document would have after an edit, with the parameters of `apply`.
  ///
  /// - Throws: `EditRefusal`, as `apply` would.
  package func size(
    after edit: TextEdit, base: Int, bridge: TextBridge, author: Author, sequence: Int
  ) throws(EditRefusal) -> Int {
    var (copy, bridge) = (self, bridge)
    _ = try copy.apply(edit, base: base, bridge: &bridge, author: author, sequence: sequence)
    return copy.text.utf8.count
  }

  /// Refuses a member's edit: one empty step, by whose revision the member tells which edits were refused
  /// with it.
  ///
  /// The member's later edits refer to a text that has the refused one; they cannot be placed without it.
  ///
  /// - Parameters:
  ///   - bridge: The member's side of the state space.
  ///   - input: The number of the input that carried the edit.
  ///   - reason: Why it is refused.
  ///   - sequence: The turn that will carry the step.
  package mutating func refuse(
    bridge: inout TextBridge, input: Int, reason: TextBridge.RefusalReason = .tooLong, sequence: Int
  ) {
    record(TextEdit([]), newText: text, author: nil, sequence: sequence)
    bridge.refuse(at: revision, input: input, reason: reason)
  }

  /// Makes the document another text, with the smallest edit that keeps what others type meanwhile in place.
  ///
  /// - Parameters:
  ///   - newText: What the field is to show.
  ///   - sequence: The turn that will carry the step.
  ///   - isViewModels: Whether the ViewModel does it, and not a person whose client sends whole values.
  /// - Returns: The steps; none if the document is this text already.
  package mutating func set(_ newText: String, sequence: Int, isViewModels: Bool = true) -> [TextEdit] {
    guard !newText.hasSameBytes(as: text) else { return [] }
    let edit = TextEdit.diff(from: text, to: newText, byPlace: isViewModels)
    record(edit, newText: newText, author: nil, sequence: sequence, isViewModels: isViewModels)
    return [edit]
  }

  /// Notes that the ViewModel is given the text.
  ///
  /// - Parameter expectsAnswer: Whether it may answer later.
  package mutating func feed(expectsAnswer: Bool) {
    if expectsAnswer { questions.append(text) }
  }

  /// Makes the document what the ViewModel has made of an earlier text, and keeps what people have changed since.
  ///
  /// - Parameters:
  ///   - newText: What the field is to show instead of `question`.
  ///   - question: The text that the ViewModel was given then.
  ///   - sequence: The turn that will carry the step.
  /// - Returns: The steps; none if it changes nothing.
  package mutating func answer(_ newText: String, to question: String, sequence: Int) -> [TextEdit] {
    if let answer = questions.answer(newText, to: question, in: text) {
      return take(answer, sequence: sequence, isViewModels: true)
    }
    if question.hasSameBytes(as: text) { return set(newText, sequence: sequence) }
    // Nobody remembers when that was the text: its changes since then are found by comparing.
    let made = TextEdit.diff(from: question, to: newText)
    let since = TextEdit.diff(from: question, to: text, byPlace: false)
    return take(TextEdit.transform(made, since).p, sequence: sequence, isViewModels: true)
  }

  /// Follows a row's output: a text that the ViewModel was given earlier is no other one, only late.
  ///
  /// - Parameters:
  ///   - newText: What the output shows now.
  ///   - sequence: The turn that will carry the step.
  /// - Returns: The steps; none if the document stays as it is.
  package mutating func follow(_ newText: String, sequence: Int) -> [TextEdit] {
    guard let answer = questions.answer(newText, to: newText, in: text) else {
      return set(newText, sequence: sequence)
    }
    return take(answer, sequence: sequence, isViewModels: true)
  }

  private mutating func take(_ edit: TextEdit, sequence: Int, isViewModels: Bool = false) -> [TextEdit] {
    guard !edit.isEmpty else { return [] }
    do {
      let newText = try edit.applied(to: text)
      record(edit, newText: newText, author: nil, sequence: sequence, isViewModels: isViewModels)
      return [edit]
    } catch {
      // It was made for this very text, so it fits.
      return []
    }
  }

  /// Whether all steps of the turns after `sequence` are kept, so that a page that returns can be told its own.
  package func reaches(back sequence: Int) -> Bool { sequence >= trimmedSequence }

  /// The steps of a member in the turns after `sequence`, as pairs of input number and revision.
  package func ownSteps(of member: Int, after sequence: Int) -> [(input: Int, revision: Int)] {
    var own: [(input: Int, revision: Int)] = []
    for (offset, step) in history.enumerated() where step.sequence > sequence {
      guard step.member == member else { continue }
      own.append((step.input, oldestBase + Int(offset) + 1))
    }
    return own
  }

  /// Forgets what the only member has shown to have, so that a page that types goes over the same few lines of memory.
  ///
  /// The newest of the turns that it has is kept: what says so may have come to it before the turn.
  ///
  /// - Parameter known: The revision that the member knows.
  /// - Returns: The last turn that nobody asks for again; nil if it is not worth the while yet.
  package mutating func forget(known: Int) -> Int? {
    var count = known - oldestBase
    guard count >= 8 else { return nil }
    let newest = history[count - 1].sequence
    while count > 0, history[count - 1].sequence == newest { count -= 1 }
    guard count > 0 else { return nil }
    trimmedSequence = history[count - 1].sequence
    history.removeFirst(count)
    return trimmedSequence
  }

  private mutating func commit(_ edit: TextEdit, author: Author?, sequence: Int) throws(TextEditError) {
    record(edit, newText: try edit.applied(to: text), author: author, sequence: sequence)
  }

  private mutating func record(
    _ edit: TextEdit, newText: String, author: Author?, sequence: Int, isViewModels: Bool = false
  ) {
    questions.follow(edit, of: text, isViewModels: isViewModels)
    text = newText
    revision += 1
    // Trimmed by halves, so that a step costs O(1) on average.
    let limit = isSolo ? min(historyLimit, 128) : historyLimit
    if history.count >= 2 * limit {
      trimmedSequence = history[history.count - limit - 1].sequence
      history.removeFirst(history.count - limit)
    }
    history.append(Step(edit: edit, author: author, sequence: sequence))
  }

  /// The bytes of heap that the document, its past and its open questions take.
  package var heapBytes: Int {
    history.reduce(HeapSize.text(text) + HeapSize.array(history) + questions.heapBytes) {
      $0 + $1.edit.heapBytes
    }
  }

  /// Tells the bytes of UTF-8 that members have typed since the last call, as far as the steps since are kept.
  package mutating func takeTyped(_ note: (_ member: Int, _ bytes: Int) -> Void) {
    for step in history.suffix(revision - countedRevision) where step.member > 0 {
      let bytes = step.edit.single?.inserted.utf8.count
      note(step.member, bytes ?? step.edit.components.reduce(0) { $0 + $1.inserted.utf8.count })
    }
    countedRevision = revision
  }

  /// Why an edit cannot be applied.
  package enum EditRefusal: Error, Equatable {
    /// It refers to a revision that does not exist yet.
    case futureRevision
    /// It refers to a revision older than one that the member knew before: a page applies what comes, and goes on.
    case forgottenRevision
    /// It refers to a revision whose successors are no longer kept, that came before a snapshot, or from which so much has
    /// changed that to carry the edit would keep the room from others.
    case historyTrimmed
    /// The member sent it before it knew that an earlier one was refused.
    case afterRefusal
    /// A position lies outside of the text, or inside a surrogate pair.
    case outsideText(TextEditError)
  }
}
