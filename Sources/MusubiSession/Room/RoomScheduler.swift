// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for `Date`, RxSwift's time type, alone.
import Foundation
package import MusubiBinding
package import MusubiRx
import Synchronization

/// A room's clock and timers, as a scheduler of the reactive core.
///
/// Work that is due now runs at once; later work becomes a timer of the loop, and comes back through the room's one
/// door as `RoomEvent.timer`. So does work that comes from another thread, such as the answer of a database.
///
/// `schedule` may be called from any thread and crosses to the loop by `enqueue`; everything else is used on the room's
/// loop only.
package final class RoomScheduler: SchedulerType {
  /// The parts that the schedulers of a loop share.
  final class Loop {
    let clock: () -> Duration
    let wallClock: () -> Double
    let isOnLoop: @Sendable () -> Bool
    let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Asks for `ring` at a time of the loop's clock.
    var plan: ((RoomScheduler, _ timer: Int, _ deadline: Duration) -> Void)?
    /// Whether a shared model hands out its values: each room takes them in a turn of its own.
    var startsTurns = false
    /// How presence is found out.
    let presence: PresenceTracker.Limits
    /// Who is in rooms that other screens follow.
    let presenceExchange: PresenceExchange
    /// The work that turns of other rooms have left for rooms: each takes it in a turn of its own, in this iteration.
    private var left: [(scheduler: Weak<RoomScheduler>, timer: Int)] = []
    /// Called after work that came from another thread has had its turn.
    var onForeignWork: (() -> Void)?

    init(
      clock: @escaping () -> Duration, wallClock: @escaping () -> Double,
      isOnLoop: @escaping @Sendable () -> Bool,
      enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
      presence: PresenceTracker.Limits = PresenceTracker.Limits(),
      presenceExchange: PresenceExchange = PresenceExchange()
    ) {
      self.presence = presence
      self.presenceExchange = presenceExchange
      self.clock = clock
      self.wallClock = wallClock
      self.isOnLoop = isOnLoop
      self.enqueue = enqueue
    }

    /// Whether `takeLeft` has something to do.
    var hasLeft: Bool { !left.isEmpty }

    fileprivate func leave(_ timer: Int, of scheduler: RoomScheduler) {
      left.append((Weak(scheduler), timer))
    }

    /// Has rooms take what turns of other rooms have left for them.
    func takeLeft() {
      let all = left
      left = []
      for (scheduler, timer) in all { scheduler.object?.ring(timer) }
    }
  }

  private let loop: Loop
  /// The work that it has to run later; nil before there was any.
  private var timers: Timers?

  /// An object of its own, because most rooms have neither timers nor tasks.
  private final class Timers {
    /// The tasks of the screen; nil before there was one.
    var tasks: ScreenTasks?
    /// Finds out who shows the room; nil before somebody has asked.
    var presence: PresenceTracker?
    /// Writes down what happens in the room; nil if nobody has asked for it.
    var recording: RoomRecording?
    var pending: [Int: () -> Void] = [:]
    /// Those that are one beat of a rhythm.
    var repeating: Set<Int> = []
    /// Those of them that were due while nobody showed the room.
    var missed: [Int] = []
    private var last = 0
    private var lastForeign = 0

    /// Adds work.
    ///
    /// - Returns: Its number: from 1 for the room's own timers, which a replay sets again, and from -1 downwards for work
    ///   that comes from elsewhere.
    func add(isForeign: Bool = false, _ work: @escaping () -> Void) -> Int {
      if isForeign { lastForeign -= 1 } else { last += 1 }
      let number = isForeign ? lastForeign : last
      pending[number] = work
      return number
    }

    func remove(_ timer: Int) -> (() -> Void)? {
      if !repeating.isEmpty { repeating.remove(timer) }
      return pending.removeValue(forKey: timer)
    }
  }

  /// What rests while nobody shows the room.
  private var parts: [any Suspendable] = []
  private var isSuspended = false
  /// Whether repeating timers rest as well.
  var suspendsRepeating = false

  /// Whose timers these are; nil before the room is made, and once it has gone.
  unowned var room: Room?

  /// A scheduler.
  ///
  /// - Parameters:
  ///   - clock: The loop's monotonic clock.
  ///   - wallClock: Seconds since 1970.
  ///   - isOnLoop: Whether the caller runs on the room's loop.
  ///   - enqueue: Runs work on the room's loop, later.
  package convenience init(
    clock: @escaping () -> Duration, wallClock: @escaping () -> Double,
    isOnLoop: @escaping @Sendable () -> Bool = { true },
    enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
  ) {
    self.init(Loop(clock: clock, wallClock: wallClock, isOnLoop: isOnLoop, enqueue: enqueue))
  }

  init(_ loop: Loop) { self.loop = loop }

  /// The time on the loop's monotonic clock.
  var time: Duration { loop.clock() }

  /// What time it is.
  package var now: RxTime {
    Date(timeIntervalSince1970: timers?.recording?.wallTime ?? loop.wallClock())
  }

  /// Writes down what happens in the room; nil if nobody has asked for it.
  var recording: RoomRecording? {
    get { timers?.recording }
    set { if let newValue { makeTimers().recording = newValue } }
  }

  /// Runs work at once; as a turn of the room, soon, from another thread and from another room's turn.
  package func schedule<State>(
    _ state: State, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    guard !loop.isOnLoop() else { return startsTurn ? turn(state, action) : action(state) }
    let work = ForeignWork { action(state) }
    let me = Carried(Weak(self))
    let cause = LoopContext.cause
    loop.enqueue { me.element.object?.take(work, by: cause) }
    return Disposables.create { work.cancel() }
  }

  /// Runs work as a turn of the room, when the time has passed.
  package func scheduleRelative<State>(
    _ state: State, dueTime: RxTimeInterval, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    plan(state, dueTime, isRepeating: false, action)
  }

  /// Runs work as turns of the room, in a rhythm; it rests while nobody shows a private room.
  package func schedulePeriodic<State>(
    _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval, action: @escaping (State) -> State
  ) -> any Disposable {
    Rhythm(scheduler: self).schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
  }

  fileprivate func plan<State>(
    _ state: State, _ dueTime: RxTimeInterval, isRepeating: Bool,
    _ action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    let inner = SingleAssignmentDisposable()
    let timer = addTimer(by: room?.cause) { inner.setDisposable(action(state)) }
    if isRepeating { timers?.repeating.insert(timer) }
    loop.plan?(self, timer, loop.clock() + dueTime.duration)
    return Disposables.create(inner, removal(of: timer))
  }

  private func removal(of timer: Int) -> any Disposable {
    Disposables.create { [weak self] in _ = self?.timers?.remove(timer) }
  }

  /// Whether what comes now belongs to another room's turn, or to nobody's.
  private var startsTurn: Bool {
    guard room != nil else { return false }
    guard let current = LoopContext.current else { return loop.startsTurns }
    return (current as? RoomScheduler).map { $0 !== self } ?? false
  }

  /// Runs work of this loop as a turn of the room: now, or behind the turn of another room that runs.
  private func turn<State>(_ state: State, _ action: @escaping (State) -> any Disposable) -> any Disposable {
    let inner = SingleAssignmentDisposable()
    let timer = addForeign(by: nil) { inner.setDisposable(action(state)) }
    if LoopContext.current == nil { ring(timer) } else { loop.leave(timer, of: self) }
    return Disposables.create(inner, removal(of: timer))
  }

  /// Runs work as a turn of the room, if it is still there.
  func run(by cause: (any WorkCause)?, _ work: @escaping () -> Void) {
    if room != nil { ring(addForeign(by: cause, work)) }
  }

  /// Has work from another thread take its turn.
  private func take(_ work: ForeignWork, by cause: (any WorkCause)?) {
    ring(addForeign(by: cause) { work.run() })
    loop.onForeignWork?()
  }

  /// A timer is due: its work is a turn of the room, at once or when somebody shows it again.
  func ring(_ timer: Int) {
    if timer == Self.caretTimer {
      room?.tellCarets()
    } else if isSuspended, suspendsRepeating, let timers, timers.repeating.contains(timer) {
      timers.missed.append(timer)
    } else {
      room?.handle(.timer(id: timer))
    }
  }

  /// Rings the timers that were due while nobody showed the room, each once.
  func ringMissed() {
    guard let timers, !timers.missed.isEmpty else { return }
    let missed = timers.missed
    timers.missed = []
    for timer in missed where timers.pending[timer] != nil { ring(timer) }
  }

  /// Runs the work of a timer, unless it was cancelled.
  func fire(_ timer: Int) { timers?.remove(timer)?() }

  func suspend() {
    isSuspended = true
    for part in parts { part.suspend() }
  }

  func resume() {
    isSuspended = false
    for part in parts { part.resume() }
  }

  private func addTimer(
    by cause: (any WorkCause)?, isForeign: Bool = false, _ work: @escaping () -> Void
  ) -> Int {
    guard let cause else { return makeTimers().add(isForeign: isForeign, work) }
    return makeTimers().add(isForeign: isForeign) { [weak self] in
      self?.cause = cause
      work()
    }
  }

  /// Has work of a record run when its timer rings.
  func give(_ timer: Int, _ work: @escaping () -> Void) { makeTimers().pending[timer] = work }

  /// Adds work that comes from another thread or from another room's turn.
  private func addForeign(by cause: (any WorkCause)?, _ work: @escaping () -> Void) -> Int {
    addTimer(by: cause, isForeign: true, work)
  }

  private func makeTimers() -> Timers {
    let timers = timers ?? Timers()
    self.timers = timers
    return timers
  }
}

// MARK: - Presence

extension RoomScheduler: PresenceSource {
  /// Finds out who shows the room; nil before somebody has asked.
  var presence: PresenceTracker? { timers?.presence }

  package var presenceExchange: PresenceExchange { loop.presenceExchange }

  package func presenceTracker(now clock: any SchedulerType) -> PresenceTracker? {
    guard isOnLoop else {
      reportLater(
        "context.presence was asked for on another thread than its screen's loop, and is empty there; ask in the "
          + "ViewModel's own methods")
      return nil
    }
    let timers = makeTimers()
    if let tracker = timers.presence { return tracker }
    let tracker = PresenceTracker(loop.presence) { [unowned self] in
      now
    } later: { [weak self] in
      self?.run(after: $0, $1)
    }
    timers.presence = tracker
    room?.follow(tracker)
    return tracker
  }

  /// Has the room tell where its carets are when the time has passed.
  ///
  /// That is no turn: it changes nothing of the room, neither what is stored nor what is recorded.
  func tellCarets(after time: Duration) { loop.plan?(self, Self.caretTimer, loop.clock() + time) }

  /// The number that no timer has.
  private static let caretTimer = 0

  /// Runs work as a turn of the room when the time has passed; nobody has caused it.
  func run(after time: Duration, _ work: @escaping () -> Void) {
    loop.plan?(self, makeTimers().add(work), loop.clock() + time)
  }
}

// MARK: - Tasks

extension RoomScheduler: TaskOwner {
  package var screenTasks: ScreenTasks? {
    guard isOnLoop else {
      reportLater(
        "a task was begun on another thread than its screen's loop, and does not run; call context.task in the "
          + "ViewModel's own methods")
      return nil
    }
    let timers = makeTimers()
    if let tasks = timers.tasks { return tasks }
    let tasks = ScreenTasks(on: self) { [weak self] in self?.report($0) }
    timers.tasks = tasks
    return tasks
  }

  /// How many tasks of the screen are under way.
  var taskCount: Int { timers?.tasks?.count ?? 0 }

  /// The screen has ended, or could not be made.
  func endTasks() {
    timers?.tasks?.end()
    timers?.presence?.end()
    timers?.presence = nil
  }

  /// Tells the log what was wrong on another thread.
  private func reportLater(_ problem: String) {
    let me = Carried(Weak(self))
    post { me.element.object?.report(problem) }
  }
}

extension RoomScheduler: ProblemLog {
  package func report(_ problem: String) {
    guard isOnLoop else { return reportLater(problem) }
    if let room { room.report(problem) } else { ScreenBuilder.active?.board.report(problem) }
  }
}

extension RoomScheduler: SuspendableScheduler {
  package func attach(_ part: any Suspendable) {
    parts.append(part)
    if isSuspended { part.suspend() }
  }

  package func detach(_ part: any Suspendable) { parts.removeAll { $0 === part } }
}

/// Plans the beats of a room's rhythms.
private struct Rhythm: SchedulerType {
  let scheduler: RoomScheduler

  var now: RxTime { scheduler.now }

  func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
    scheduler.schedule(state, action: action)
  }

  func scheduleRelative<State>(
    _ state: State, dueTime: RxTimeInterval, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    scheduler.plan(state, dueTime, isRepeating: true, action)
  }
}

extension RoomScheduler: LoopHome {
  package var isOnLoop: Bool { loop.isOnLoop() }

  package func post(_ work: @escaping @Sendable () -> Void) {
    let me = Carried(Weak(self))
    loop.enqueue {
      guard let scheduler = me.element.object, scheduler.room != nil else {
        // A task of a room that has gone still has to come to its end.
        return work()
      }
      scheduler.take(
        ForeignWork {
          work()
          return Disposables.create()
        }, by: nil)
    }
  }
}

extension RoomScheduler: LoopScheduler {
  package var cause: (any WorkCause)? {
    get { room?.cause }
    set { room?.carry(newValue) }
  }
}

extension RoomScheduler: RecordedLoop {
  package var valueRecorder: (any ValueRecorder)? { recording }
}

extension RoomScheduler: VisitorSource {
  package var currentVisitor: Visitor? { room?.currentVisitor }
}

/// Work on its way to the loop: made on one thread, run on the loop, and cancelled from either.
private final class ForeignWork: Sendable {
  private struct State {
    var work: Carried<() -> any Disposable>?
    var running: Carried<any Disposable>?
  }

  private let state: Mutex<State>

  init(_ work: @escaping () -> any Disposable) { state = Mutex(State(work: Carried(work))) }

  func run() {
    guard let work = state.withLock({ $0.work.take() }) else { return }
    let running = Carried(work.element())
    state.withLock { $0.running = running }
  }

  func cancel() {
    let running = state.withLock { state in
      state.work = nil
      return state.running
    }
    running?.element.dispose()
  }
}
