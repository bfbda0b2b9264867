// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import Foundation

/// The scheduler of the loop that runs the caller; on a plain thread, of the main thread.
///
/// Inside a loop, work without a delay runs at once, or after the work of this scheduler that runs already. On the
/// main thread, and in the task of a test, it is the same. From any other thread the work goes to the main queue.
public final class MainScheduler: SchedulerType, Sendable {
  /// Runs work at once where it can.
  public static let instance = MainScheduler(isAlwaysAsync: false)
  /// Runs work later in any case.
  public static let asyncInstance = MainScheduler(isAlwaysAsync: true)

  private let isAlwaysAsync: Bool

  private init(isAlwaysAsync: Bool) { self.isAlwaysAsync = isAlwaysAsync }

  /// Creates the scheduler; `instance` does the same.
  public convenience init() { self.init(isAlwaysAsync: false) }

  /// Stops the program if the caller runs neither on a loop nor on the main thread.
  public static func ensureExecutingOnScheduler(errorMessage: String? = nil) {
    let context = ThreadContext.current
    precondition(
      context.isHome,
      errorMessage ?? "This runs on a foreign thread; put observe(on: MainScheduler.instance) in front of it."
    )
  }

  /// The older name of `ensureExecutingOnScheduler`; a loop counts as the main thread.
  public static func ensureRunningOnMainThread(errorMessage: String? = nil) {
    ensureExecutingOnScheduler(errorMessage: errorMessage)
  }

  /// The time of the loop, or the wall clock.
  public var now: RxTime { LoopContext.current?.now ?? Date() }

  /// Runs an action, at once if that keeps the order.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let context = ThreadContext.current
    if isAlwaysAsync, let loop = context.loop {
      return loop.scheduleRelative(state, dueTime: .nanoseconds(0), action: action)
    }
    let task = ScheduledTask(state, action)
    if !isAlwaysAsync && context.isHome {
      context.main.run(task)
    } else {
      MainQueue.enqueue(task, loop: nil)
    }
    return task
  }

  /// Runs an action after a while.
  public func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    if let loop = LoopContext.current {
      return loop.scheduleRelative(state, dueTime: dueTime, action: action)
    }
    let task = ScheduledTask(state, action)
    let carried = Carried<TrampolineTask>(task)
    DispatchQueue.main.asyncAfter(deadline: .now() + dueTime) { MainQueue.run(carried) }
    return task
  }

  /// Runs an action again and again.
  public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable {
    if let loop = LoopContext.current {
      return loop.schedulePeriodic(state, startAfter: startAfter, period: period, action: action)
    }
    let task = PeriodicTask(scheduler: self, state: state, period: period, action: action)
    task.schedule(after: startAfter)
    return task
  }
}
