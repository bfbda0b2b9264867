// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

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
    /// The member's name to other pages; it outlives sessions.
    package let name: String
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
  /// Whether at most one member edits: it lags behind by its own connection's delay, and by nobody else's edits.
  var isSolo = false
  /// The turn of the last step that is no longer kept.
  private var trimmedSequence = 0
  /// What a page knew of the text before the room lost its memory; nil if none has told.
  private var origin: TextOrigin?
  /// The last inputs of authors who are not here; the newest are kept.
  private(set) var absent: [(author: String, input: Int)] = []
  private var questions = TextQuestions()
  /// Whether the ViewModel has been given the text by the event that is being handled: what it makes of it now is a
  /// rewriting, and no other text.
  package var isFed = false

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
    trimmedSequence = sequence
  }

  /// The edits since a revision, oldest first; nil if they are no longer kept.
  func edits(after revision: Int) -> [TextEdit]? {
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
  ///   - isRepeated: Whether the member may have sent the edit to a room that has lost its memory: what another page has
  ///     seen taken there is taken back at once, since it is in the text already.
  /// - Returns: The edit as it changed the document, which is the member's own step, or nil if it did as it came; and
  ///   the steps that came of it.
  /// - Throws: `Refusal`; nothing has changed then.
  package mutating func apply(
    _ edit: TextEdit, base: Int, bridge: inout TextBridge, author: Author, sequence: Int,
    isRepeated: Bool = false
  ) throws(Refusal) -> (moved: TextEdit?, others: [TextEdit]) {
    guard base <= revision else { throw .futureRevision }
    guard base >= max(bridge.known, 0) else { throw .forgottenRevision }
    guard base >= bridge.refusal else { throw .afterRefusal }
    guard base >= oldestBase, base >= bridge.floor else { throw .historyTrimmed }
    let isTaken = isRepeated && absent.contains { $0.author == author.name && author.input <= $0.input }
    let before = isTaken ? text : ""
    // Both steps together change nothing.
    let origin = origin
    if isTaken { self.origin = nil }
    defer { if isTaken { self.origin = origin } }
    if bridge.head == revision || base == revision, !bridge.hasUnseenSteps(after: base) {
      // Nobody else has changed the text: what a room with one typist does all the time.
      do { try commit(edit, author: author, sequence: sequence) } catch { throw .outsideText(error) }
      bridge.restartSeen(at: revision)
      bridge.take(input: author.input, base: base)
      return (nil, isTaken ? take(edit.inverse(of: before), sequence: sequence) : [])
    }
    var extended = bridge
    extended.drop(through: base)
    let seen = max(extended.head, base, oldestBase)
    for (offset, step) in history[Int(seen - oldestBase)...].enumerated() {
      extended.append(step.edit, revision: seen + Int(offset) + 1)
    }
    let moved = extended.carry(edit)
    do {
      // Applied to a copy of the reference; the text itself changes only if the whole edit fits.
      try commit(moved, author: author, sequence: sequence)
    } catch {
      throw .outsideText(error)
    }
    bridge = extended
    bridge.head = revision
    bridge.take(input: author.input, base: base)
    return (moved, isTaken ? take(moved.inverse(of: before), sequence: sequence) : [])
  }

  /// Refuses a member's edit: one empty step, by whose revision the member tells what was refused with it.
  ///
  /// The member's later edits refer to a text that has the refused one; they cannot be placed without it.
  ///
  /// - Parameters:
  ///   - bridge: The member's side of the state space.
  ///   - input: The number of the input that carried the edit.
  ///   - sequence: The turn that will carry the step.
  package mutating func refuse(bridge: inout TextBridge, input: Int, sequence: Int) {
    record(TextEdit([]), newText: text, author: nil, sequence: sequence)
    bridge.refuse(at: revision, input: input)
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
    isFed = true
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
    // Nobody remembers when that was the text: what has become of it since is seen from the text itself.
    let edit = TextEdit.merge(newText, into: text, from: question, byPlace: true)
    return take(edit, sequence: sequence, isViewModels: true)
  }

  /// Takes over what a page knew of the text before the room lost its memory.
  ///
  /// The first page's text takes the place of what the room began with, unless somebody has changed that already; a
  /// page that knew more of the same stream adds what came later.
  ///
  /// - Parameters:
  ///   - known: The text as the page had it from the server.
  ///   - sequence: The turn that will carry the step.
  /// - Returns: The steps; none if nothing is taken over.
  package mutating func restore(_ known: ClientFrame.Restore, sequence: Int) -> [TextEdit] {
    let after: TextOrigin
    let edit: TextEdit
    if let origin, descends(from: known.epoch) {
      guard known.revision > origin.revision else { return [] }
      do {
        edit = try origin.merge(known, into: text)
      } catch {
        // What was made of the text's own steps fits them.
        return []
      }
      after = origin
      after.takeOver(edit, revision: known.revision)
    } else {
      guard revision == 0 else { return [] }
      edit = TextEdit.diff(from: text, to: known.text, byPlace: false)
      after = TextOrigin(known)
    }
    for (author, input) in known.by.sorted(by: { $0.key < $1.key }) { note(absent: author, input: input) }
    origin = nil
    defer { origin = after }
    return take(edit, sequence: sequence)
  }

  /// Notes the last input of an author who has gone, or has not come back.
  package mutating func note(absent author: String, input: Int) {
    let known = absent.firstIndex { $0.author == author }.map { absent.remove(at: $0).input }
    absent.append((author, max(input, known ?? 0)))
    if absent.count > 64 { absent.removeFirst() }
  }

  /// Whether the text was taken over from that stream of turns.
  package func descends(from epoch: String) -> Bool { !epoch.isEmpty && origin?.epoch == epoch }

  private mutating func take(_ edit: TextEdit, sequence: Int, isViewModels: Bool = false) -> [TextEdit] {
    guard !edit.isEmpty else { return [] }
    do {
      let newText = try edit.applied(to: text)
      record(edit, newText: newText, author: nil, sequence: sequence, isViewModels: isViewModels)
      return [edit]
    } catch {
      // It was made for this very text, so it fits; what a page has told is no reason to stop the server.
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
  mutating func forget(known: Int) -> Int? {
    var count = known - oldestBase
    guard count >= 8 else { return nil }
    let newest = history[count - 1].sequence
    while count > 0, history[count - 1].sequence == newest { count -= 1 }
    guard count > 0 else { return nil }
    trimmedSequence = history[count - 1].sequence
    history.removeFirst(count)
    return trimmedSequence
  }

  private mutating func commit(_ edit: TextEdit, author: Author?, sequence: Int) throws(WireError) {
    record(edit, newText: try edit.applied(to: text), author: author, sequence: sequence)
  }

  private mutating func record(
    _ edit: TextEdit, newText: String, author: Author?, sequence: Int, isViewModels: Bool = false
  ) {
    questions.follow(edit, of: text, isViewModels: isViewModels)
    let source: TextOrigin.Source = isViewModels ? (isFed ? .rewriting : .other) : .anonymous
    origin?.follow(edit, by: author.map { .author($0) } ?? source)
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

  /// Why an edit cannot be applied.
  package enum Refusal: Error, Equatable {
    /// It refers to a revision that does not exist yet.
    case futureRevision
    /// It refers to a revision older than one that the member knew before: a page applies what comes, and goes on.
    case forgottenRevision
    /// It refers to a revision whose successors are no longer kept, or that came before a snapshot.
    case historyTrimmed
    /// The member sent it before it knew that an earlier one was refused.
    case afterRefusal
    /// A position lies outside of the text, or inside a surrogate pair.
    case outsideText(WireError)
  }
}
