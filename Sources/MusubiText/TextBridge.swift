// SPDX-License-Identifier: Apache-2.0

/// The steps of a text that a member has not seen when it edits: the others' steps, moved past the member's
/// own edits.
///
/// Empty for a member that is up to date, so an idle session costs nothing here.
package struct TextBridge {
  /// The revision up to which the room's steps are in here or have been seen by the member.
  package var head: Int = 0
  /// The lowest revision that the member's edits may refer to.
  ///
  /// A member that was sent a snapshot works out a difference where the room has steps, so the two would carry an
  /// edit from before the snapshot to different places: it is not taken, and the member sends it again after a resume.
  private(set) var floor = 0
  /// The highest revision that the member has shown to know; -1 before its first snapshot.
  package var known = -1
  /// The last refused edit; nil if there was none.
  private var refused: Refused?
  private var steps: [(revision: Int, edit: TextEdit)] = []

  /// The bridge of a member that has edited nothing yet.
  package init() {}

  /// The bridge of a member that was sent the whole text at a revision.
  package init(floor: Int) { self.floor = floor }

  /// The bytes of heap that it takes.
  package var heapBytes: Int { steps.reduce(HeapSize.array(steps)) { $0 + $1.edit.heapBytes } }

  /// Why an edit is refused.
  package enum RefusalReason: Sendable {
    /// It would make the text too long.
    case tooLong
    /// It has ended the process before.
    case deadly
    /// Its sender may not edit the text.
    case notAllowed
  }

  private struct Refused {
    let revision: Int
    var input: Int?
    let reason: RefusalReason
  }

  /// Edits that refer to an earlier revision are dropped: they were sent before the member knew of a refusal.
  package var refusal: Int { refused?.revision ?? 0 }

  /// The input that was refused last, until an edit shows that the member has learnt of it.
  package var refusedInput: Int? { refused?.input }

  /// Why it was refused.
  package var refusalReason: RefusalReason { refused?.reason ?? .tooLong }

  /// An edit is taken: it shows that the member knows that revision, and the refusals before it.
  @inline(__always) mutating func take(base: Int) {
    known = base
    if refused?.input != nil { refused = Refused(revision: refusal, reason: refusalReason) }
  }

  /// The member is sent the whole text.
  package mutating func restart(at revision: Int) {
    steps = []
    head = revision
    floor = revision
    if known < 0 { known = revision }
  }

  /// An edit of the member is refused; the room has made an empty step of it, and all edits before that go with it.
  mutating func refuse(at revision: Int, input: Int, reason: RefusalReason) {
    refused = Refused(revision: revision, input: input, reason: reason)
    steps = []
    head = revision
  }

  /// Whether there are steps that the member has not seen when it has seen that revision.
  func hasUnseenSteps(after revision: Int) -> Bool { steps.last.map { $0.revision > revision } ?? false }

  /// The member's newest edit has become a revision, and there is nothing that it has not seen.
  mutating func restartSeen(at revision: Int) {
    if !steps.isEmpty { steps = [] }
    head = revision
  }

  /// The steps that the member has not seen when it has seen that revision, in positions of the member's own text.
  func unseenSteps(after revision: Int) -> [TextEdit] {
    steps.filter { $0.revision > revision }.map(\.edit)
  }

  /// Forgets the steps that the member has seen.
  mutating func drop(through revision: Int) {
    guard let first = steps.first, first.revision <= revision else { return }
    steps.removeAll { $0.revision <= revision }
  }

  /// Adds a step that the member has not seen; it follows all the member's edits so far.
  mutating func append(_ edit: TextEdit, revision: Int) {
    steps.append((revision, edit))
    head = revision
  }

  /// Moves a member's edit over the unseen steps, and the steps past the edit.
  ///
  /// - Parameters:
  ///   - edit: In positions of the member's own text.
  ///   - maxWork: The most components that are looked at: each step may cut the edit into more of them.
  /// - Returns: The edit in positions of the room's text; nil if that would be more work, and the bridge is of no use then.
  mutating func carry(_ edit: TextEdit, maxWork: Int) -> TextEdit? {
    var (moved, work) = (edit, 0)
    for index in steps.indices {
      work += moved.count + steps[index].edit.count
      guard work <= maxWork else { return nil }
      let both = TextEdit.transform(moved, steps[index].edit)
      moved = both.p
      steps[index].edit = both.s
    }
    return moved
  }
}
