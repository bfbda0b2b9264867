// SPDX-License-Identifier: Apache-2.0

/// One commit on its way into the slots of their owner: what to ask the server next, and what its answers
/// mean.
///
/// It does nothing itself.
///
/// ```
/// write ──all slots are stored──────────────► end
///   │ ▲ ──some are not──► look ─────────────► end      others own them: lost
///   │ │                     └──► confirm ───► end      an earlier attempt has stored them
///   │ └── nobody knows: the same statement again, until the server says which
///   └──refused──► burn ──► look ────────────► end      if an earlier attempt may still arrive
///      └────────────────────────────────────► end      if none can
/// ```
package struct PostgresCommit {
  /// What comes next.
  package enum Step: Equatable, Sendable {
    /// Write the changes of the slots, each if this is the next commit of its owner.
    case write
    /// Add 2 to the commits of the slots, each if nothing has come since.
    case burn
    /// Read the rows of these slots.
    case look([Int])
    /// Write the rows of the slots again, as they are. An attempt that nobody has answered may be seen before the standby has it;
    /// the answer to a later change is also the answer to that.
    case confirm
    /// Everything is known. The changes are stored but for the lost slots, or nothing of them is, and never
    /// will be.
    case end(isStored: Bool)
  }

  /// The slots, in order.
  package let slots: [Int]
  /// What is known of them; without those that are lost.
  package private(set) var fences: [Int: PostgresFence]
  package private(set) var step = Step.write
  /// The slots that belong to somebody else, with what the owner knew of them, and their rows.
  package private(set) var lost: [Int: (fence: PostgresFence, row: PostgresFence?)] = [:]
  /// Whether an earlier attempt may have been stored, or may still be.
  private var isOpen = false
  private var isBurnt = false

  /// A commit of slots that their owner knows.
  package init(_ fences: [Int: PostgresFence]) {
    self.fences = fences
    slots = fences.keys.sorted()
  }

  /// The statement that writes was answered: these slots are stored, and nothing of the others.
  package mutating func wrote(_ stored: Set<Int>) {
    for slot in stored { fences[slot]?.commits += 1 }
    let missing = slots.filter { !stored.contains($0) }
    step = missing.isEmpty ? .end(isStored: true) : .look(missing)
  }

  /// The connection was lost, or no answer has come: the statement may have been executed, or may still be.
  package mutating func lostAnswer() { isOpen = true }

  /// The server refuses the changes, and will do so again.
  package mutating func wasRefused() { step = isOpen ? .burn : .end(isStored: false) }

  /// The numbers are taken, by this or by the commit.
  package mutating func burned() {
    isBurnt = true
    step = .look(slots)
  }

  /// The rows were read, after a statement that has waited for their locks; without those of another node.
  package mutating func looked(_ rows: [Int: PostgresFence]) {
    guard case .look(let asked) = step else { return }
    let isStored = !isBurnt || asked.contains { commits(of: $0, in: rows) == 1 }
    // Counted by two, so a row tells which of the two has taken the number. All attempts lock the rows in one order, so that
    // one takes them all; a slot where it was another one nevertheless is lost.
    let expected = isStored ? 1 : 2
    for slot in asked {
      if isOpen, commits(of: slot, in: rows) == expected {
        fences[slot] = rows[slot]
      } else if let fence = fences.removeValue(forKey: slot) {
        lost[slot] = (fence, rows[slot])
      }
    }
    let isFound = isStored && asked.contains { fences[$0] != nil }
    step = isFound ? .confirm : .end(isStored: isStored)
  }

  /// The rows were written again.
  package mutating func confirmed() { step = .end(isStored: true) }

  /// The commits of this owner since; nil if the slot has another one.
  private func commits(of slot: Int, in rows: [Int: PostgresFence]) -> Int? {
    guard let known = fences[slot], let row = rows[slot], row.generation == known.generation else {
      return nil
    }
    return row.commits - known.commits
  }
}
