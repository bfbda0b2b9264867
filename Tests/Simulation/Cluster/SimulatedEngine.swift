// SPDX-License-Identifier: Apache-2.0
import MusubiTesting

/// A database in virtual time.
///
/// A change waits for the rows that others have locked, does its work, waits until it is on the disk and on
/// the standby, and is
/// answered; nobody sees it before. A reading sees what there is.
final class SimulatedEngine {
  /// A statement, or a transaction of several.
  struct Statement {
    /// The rows that it locks; nil for a reading, which locks none.
    let locks: ((EngineState) -> [Int])?
    /// Does it: with what there is when it has the rows, and with what there was when it came, if that is
    /// kept.
    let body: (_ state: inout EngineState, _ snapshot: EngineState?) -> Void
    /// It is done.
    let done: () -> Void
  }

  private struct Change {
    let statement: Statement
    let snapshot: EngineState?
    var locked: [Int] = []
    var number = 0
  }

  private unowned let network: SimulatedNetwork
  private let below: (Int) -> Int
  private(set) var state: EngineState
  /// Counts its starts: a connection is of one of them.
  private(set) var life = 0
  private(set) var isUp = true
  /// Whether it has lost the standby that it waits for: no change comes to its end.
  private var isAlone = false
  /// How long a change takes until it is on the disk and on the standby.
  var flush: Duration = .zero
  /// How long statements may lie about before they begin.
  var delay: Duration = .zero
  /// Whether commits are refused, since the disk is full.
  var isFull = false
  /// Whether it answers before a change is on the disk.
  private let isHasty: Bool
  /// Whether a standby may lack the last changes.
  private let isAsynchronous: Bool
  /// What there was before the last changes, the newest state last, if these may be lost.
  private var history: [EngineState] = []
  /// Whether statements are to know what there was when they came.
  private let keepsSnapshots: Bool
  private var waiting: [Change] = []
  private var flushing: [Change] = []
  private var locked: Set<Int> = []
  private var lastChange = 0

  init(
    _ network: SimulatedNetwork, _ state: EngineState, _ mistake: ClusterMistake?,
    _ below: @escaping (Int) -> Int
  ) {
    (self.network, self.state, self.below) = (network, state, below)
    isHasty = mistake == .answersBeforeDisk
    isAsynchronous = mistake == .losesCommits
    keepsSnapshots = mistake == .takesAndLoadsAtOnce || mistake == .readsFence
  }

  // MARK: - Statements

  /// Takes a statement of a connection; that has gone if the server was restarted since.
  func take(_ statement: Statement, of life: Int) {
    guard delay > .zero, below(3) == 0 else { return begin(statement, of: life) }
    network.schedule(network.now + delay * below(1_000) / 1_000) { [weak self] in
      self?.begin(statement, of: life)
    }
  }

  private func begin(_ statement: Statement, of life: Int) {
    guard isUp, life == self.life else { return }
    guard statement.locks != nil else {
      statement.body(&state, nil)
      return statement.done()
    }
    waiting.append(Change(statement: statement, snapshot: keepsSnapshots ? state : nil))
    goOn()
  }

  /// Begins with the changes whose rows are free.
  private func goOn() {
    var index = 0
    while index < waiting.count {
      var change = waiting[index]
      change.locked = change.statement.locks?(state) ?? []
      guard locked.isDisjoint(with: change.locked) else {
        index += 1
        continue
      }
      waiting.remove(at: index)
      locked.formUnion(change.locked)
      lastChange += 1
      change.number = lastChange
      flushing.append(change)
      guard !isAlone else { continue }
      if flush > .zero, !isHasty {
        network.schedule(network.now + flush) { [weak self, number = change.number, life] in
          self?.end(number, life)
        }
      } else {
        commit(change)
        change.statement.done()
      }
    }
  }

  private func end(_ number: Int, _ life: Int) {
    guard life == self.life, !isAlone, let change = flushing.first(where: { $0.number == number }) else {
      return
    }
    commit(change)
    change.statement.done()
    goOn()
  }

  private func commit(_ change: Change) {
    if isHasty || isAsynchronous { history = history.suffix(11) + [state] }
    change.statement.body(&state, change.snapshot)
    flushing.removeAll { $0.number == change.number }
    locked.subtract(change.locked)
  }

  // MARK: - Faults

  /// It is killed; what was on the disk stays: all that was answered, and of the rest some.
  func crash() {
    (isUp, life, waiting) = (false, life + 1, [])
    for change in flushing.prefix(below(flushing.count + 1)) { commit(change) }
    (flushing, locked) = ([], [])
    if isHasty, !history.isEmpty { state = history[below(history.count)] }
    history = []
  }

  /// It is there again.
  func start() { (isUp, isFull, delay) = (true, false, .zero) }

  /// What a standby has of it.
  func standby() -> EngineState {
    guard isAsynchronous, !history.isEmpty else {
      var state = state
      for change in flushing.prefix(below(flushing.count + 1)) {
        change.statement.body(&state, change.snapshot)
      }
      return state
    }
    return history[below(history.count)]
  }

  /// Its standby takes its place while it lives: it waits for one that does not answer, or does without.
  func abandon() { isAlone = !isAsynchronous }

  /// A standby takes its place when it was killed.
  func replace(by state: EngineState) { self.state = state }
}
