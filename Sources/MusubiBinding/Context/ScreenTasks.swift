// SPDX-License-Identifier: Apache-2.0
public import MusubiRx

/// The tasks of one screen that are under way; used where the screen lives.
package final class ScreenTasks {
  /// So many tasks of one screen may be under way.
  package static let limit = 64
  /// Those of the test screen that is made, or runs an input, now.
  @TaskLocal package static var ofTest: Carried<ScreenTasks>?

  /// Where the tasks run; nil once the screen has ended.
  package private(set) var home: ModelHome?
  /// How many are under way, with those that were cancelled and have not ended yet.
  package private(set) var count = 0
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var last = 0
  private let report: (String) -> Void
  /// Who is in the room, in a test; nil before the screen has asked.
  package private(set) var presence: PresenceTracker?
  /// Who is in other rooms, in a test.
  package let presenceExchange = PresenceExchange()
  /// What is being sent to the screen's controls, in a test.
  private var arrivals: [String: SharedRelay<[ArrivingFile]>] = [:]

  /// The tasks of a screen.
  ///
  /// - Parameters:
  ///   - loop: The screen's loop; nil in a test, which runs them by `settle`.
  ///   - report: Is told what the log should have.
  package init(on loop: (any LoopHome)?, report: @escaping (String) -> Void = { _ in }) {
    home = ModelHome(loop)
    self.report = report
  }

  /// Begins a task; its first part, up to where it waits, runs before this returns.
  ///
  /// - Returns: What cancels it; nil if it was not begun, because there are too many, or the screen has ended.
  func begin(_ work: @escaping @concurrent () async -> Void) -> (any Disposable)? {
    guard let home else { return nil }
    guard count < Self.limit else {
      report(
        "\(count) tasks of the screen are under way, and no more were begun; dispose of those that are no longer needed, and "
          + "have them end when they are cancelled")
      return nil
    }
    count += 1
    last += 1
    let number = last
    let life = Carried(TaskLife(work, of: self))
    let task = home.start(key: nil) {
      await life.element.work()
      life.element.end(number)
    }
    guard !life.element.hasEnded else { return Disposables.create() }
    tasks[number] = task
    return Disposables.create { task.cancel() }
  }

  /// Tells the log that a task has failed.
  func reportFailure(_ error: any Error) { report("a ProgressTask has failed: \("\(error)".prefix(200))") }

  /// The screen ends: its tasks are cancelled, and no more begin.
  package func end() {
    // They hold the home, and so the loop's scheduler, until they have ended.
    home = nil
    let all = tasks.values
    tasks = [:]
    for task in all { task.cancel() }
  }

  fileprivate func ended(_ number: Int) {
    tasks[number] = nil
    count -= 1
  }
}

/// What a task needs at its end.
private final class TaskLife {
  let work: @concurrent () async -> Void
  private(set) var hasEnded = false
  private weak var tasks: ScreenTasks?

  init(_ work: @escaping @concurrent () async -> Void, of tasks: ScreenTasks) {
    (self.work, self.tasks) = (work, tasks)
  }

  func end(_ number: Int) {
    hasEnded = true
    tasks?.ended(number)
  }
}

/// Has the tasks of a screen.
package protocol TaskOwner: AnyObject {
  /// The tasks; nil if the caller does not run where the screen lives, which the log then tells.
  var screenTasks: ScreenTasks? { get }
}

extension ScreenTasks: TaskOwner, VisitorSource {
  package var screenTasks: ScreenTasks? { self }
  package var currentVisitor: Visitor? { Visitor.ofTest }
}

extension ScreenTasks: ArrivingSource {
  package func arrivingFiles(for input: String) -> SharedRelay<[ArrivingFile]> {
    let relay = arrivals[input] ?? SharedRelay(value: [], isPerServer: true)
    arrivals[input] = relay
    return relay
  }
}

extension ScreenTasks: PresenceSource {
  package func presenceTracker(now clock: any SchedulerType) -> PresenceTracker? {
    if let presence { return presence }
    let tracker = PresenceTracker(.ofTest) {
      clock.now
    } later: { time, work in
      _ = clock.scheduleRelative((), dueTime: RxTimeInterval(time)) {
        work()
        return Disposables.create()
      }
    }
    presence = tracker
    return tracker
  }
}

/// Outside of a screen, as in a ViewModel's own unit test, tasks come back to the main thread.
private final class MainThread: LoopHome {
  var isOnLoop: Bool { false }

  func post(_ work: @escaping @Sendable () -> Void) {
    _ = MainScheduler.asyncInstance.schedule(()) {
      work()
      return Disposables.create()
    }
  }
}

extension ScreenContext {
  /// Begins work that belongs to the screen and not to one input: an export, requests to a slow service.
  ///
  /// It runs on the screen's own loop, and comes back to it after each `await`; its first part, up to where it waits,
  /// runs before this returns. No acknowledgement waits for it. It goes on while no page shows the screen, and what it
  /// writes into outputs waits there for the page that was away. It is cancelled when the screen ends. With the server's
  /// process it is lost: a ViewModel whose stored state says that it was under way begins it again.
  ///
  /// ```swift
  /// init(context: ScreenContext) {
  ///   context.task { self.titles.accept(await library.titles()) }
  /// }
  /// ```
  ///
  /// Call it where the screen lives: in a ViewModel's own methods and closures. 64 tasks of a screen may be under way; the
  /// log tells if one more was not begun. For an input that must not be lost, use `beginEffect()`.
  ///
  /// - Parameter work: The work; it should end soon after it was cancelled, as `Task.sleep` and requests do.
  /// - Returns: Cancels the work when it is disposed of; it may be ignored.
  @discardableResult
  public func task(_ work: @escaping @concurrent () async -> Void) -> any Disposable {
    tasks?.begin(work) ?? Disposables.create()
  }

  /// The tasks of the screen; nil if none may begin.
  var tasks: ScreenTasks? {
    if let owner = source as? any TaskOwner { return owner.screenTasks }
    if let test = ScreenTasks.ofTest { return test.element }
    // Without a room it was made to learn its names.
    return clock is any LoopHome ? nil : ScreenTasks(on: MainThread())
  }
}
