// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import Synchronization

/// Runs the first inputs of sessions whose slot was lost, each after the store has noted that it is about to run.
///
/// Who had the slot before may have ended by such an input. If this process ends by it as well, the store tells the next owner
/// which one it was, and that one refuses it.
///
/// ```
/// a first input comes       it is held, with all that its page sends behind it
/// its turn comes            the next commit notes it as on trial in its slot
/// that commit is safe       it is run; the commit that follows has what it did, and notes the next one
/// ```
///
/// Few are on trial in a process at a time, so that few are suspected. Confined to its loop.
final class TrialDesk {
  private unowned let loop: SessionLoop
  private var waiting: [Entry] = []
  private var onTrial: [Entry] = []
  /// The input that is run, because the store knows of it.
  private(set) var running: InputID?
  /// Whether it is this loop's turn, or the loop waits for it.
  private var isEngaged = false

  /// A visit that holds an input of its session.
  private struct Entry {
    let visit: Weak<Visit>
    let slot: Int
    let input: InputID

    /// The visit; nil once it has gone.
    var open: Visit? { visit.object.flatMap { $0.phase == .open ? $0 : nil } }
  }

  /// Of more than that, several are on trial at a time, so that a crowd does not wait for a commit for each.
  private static let fewWait = 64

  init(_ loop: SessionLoop) { self.loop = loop }

  /// A visit holds an input.
  func add(_ visit: Visit, _ input: InputID, of slot: Int) {
    waiting.append(Entry(visit: Weak(visit), slot: slot, input: input))
    guard !isEngaged else { return }
    isEngaged = true
    let me = Carried(Weak(self))
    loop.environment.trials.take { [enqueue = loop.environment.enqueue] in
      enqueue { me.element.object?.next() }
    }
  }

  private func next() {
    waiting.removeAll { $0.open == nil }
    onTrial = Array(waiting.prefix(max(1, waiting.count / Self.fewWait)))
    waiting.removeFirst(onTrial.count)
    loop.committer.trials = Dictionary(grouping: onTrial, by: \.slot).mapValues { $0.map(\.input) }
    loop.committer.whenCommitted { [weak self] isStored in if isStored { self?.run() } }
  }

  private func run() {
    guard !onTrial.isEmpty || !waiting.isEmpty else {
      isEngaged = false
      return loop.environment.trials.pass()
    }
    let now = loop.environment.clock()
    for entry in onTrial {
      guard let visit = entry.open, let session = visit.session else { continue }
      session.probation = session.probation?.after(now)
      visit.isThrottled = false
      visit.keepsHeld = false
      running = entry.input
      loop.goOn(visit)
      running = nil
    }
    next()
    loop.settle()
  }
}

/// How long each input of a session is tried before it is run for good.
///
/// The owner that the slot was lost by may have run several that were not stored, and their page sends all of them again at once.
struct Probation {
  private var inputs = 0
  private var last: Duration?

  /// So many inputs are tried at most.
  private static let longest = 64
  /// What comes later than this after the input before it was not sent again.
  private static let pause: Duration = .milliseconds(100)

  /// Whether an input that comes now is not tried any more.
  func isOver(at now: Duration) -> Bool {
    inputs >= Self.longest || last.map { now - $0 > Self.pause } ?? false
  }

  /// The probation when an input is run.
  func after(_ now: Duration) -> Self {
    var next = self
    (next.inputs, next.last) = (inputs + 1, now)
    return next
  }
}

extension Visit {
  /// Has an input wait that may be what ended the last owner of its session's slot, with all that comes behind it.
  ///
  /// - Parameters:
  ///   - message: The input.
  ///   - number: Its number.
  /// - Returns: Whether it waits.
  func holdsBack(_ message: UnsafeRawBufferPointer, toTry number: Int) -> Bool {
    guard let session, let probation = session.probation, let slot = session.label?.slot,
      number > session.taken, !isRefused(number, of: session)
    else { return false }
    let input = InputID(session: session.id, number: number)
    guard loop.trials.running != input else { return false }
    guard !probation.isOver(at: loop.environment.clock()) else {
      session.probation = nil
      session.lostSince = loop.slots.lostSince(slot)
      loop.committer.touch(session)
      return false
    }
    holdBack(message)
    loop.trials.add(self, input, of: slot)
    return true
  }
}

/// Has the loops of a process try inputs one after the other: whatever ends the process is told from all others.
package final class TrialTurn: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Calls back once it is the caller's turn, at once or from another thread.
  func take(_ begin: @escaping @Sendable () -> Void) {
    let isMine = state.withLock { state in
      if state.isTaken { state.waiting.append(begin) }
      defer { state.isTaken = true }
      return !state.isTaken
    }
    if isMine { begin() }
  }

  /// The caller's turn is over.
  func pass() {
    let next = state.withLock { state in
      state.isTaken = !state.waiting.isEmpty
      return state.isTaken ? state.waiting.removeFirst() : nil
    }
    next?()
  }
}
