// SPDX-License-Identifier: Apache-2.0

// A ViewModel writes `.seconds(1)` after importing this module only.
@_exported public import enum Dispatch.DispatchTimeInterval
public import Foundation

/// A length of time.
public typealias RxTimeInterval = DispatchTimeInterval

/// A point in time.
public typealias RxTime = Date

/// Runs work as soon as it can.
public protocol ImmediateSchedulerType {
  /// Runs an action, now or soon.
  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable
}

/// Runs work at given times.
public protocol SchedulerType: ImmediateSchedulerType {
  /// The scheduler's own time.
  var now: RxTime { get }

  /// Runs an action after a while.
  func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable

  /// Runs an action again and again.
  func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable
}

extension SchedulerType {
  /// Runs an action again and again, by scheduling each run from the one before.
  public func schedulePeriodic<StateType>(
    _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
    action: @escaping (StateType) -> StateType
  ) -> any Disposable {
    let task = PeriodicTask(scheduler: self, state: state, period: period, action: action)
    task.schedule(after: startAfter)
    return task
  }
}

/// Schedules its next run, then runs; may be disposed on another thread than it runs on.
///
/// A run that is due while the one before is not over, on a concurrent queue, waits for it; of several, one does.
final class PeriodicTask<State>: DisposeBase, Disposable {
  private let lock = Lock()
  private let scheduler: any SchedulerType
  private let period: RxTimeInterval
  private var state: State
  private var action: ((State) -> State)?
  private var isRunning = false
  private var mustRunAgain = false
  private let next = SerialDisposable()

  init(
    scheduler: any SchedulerType, state: State, period: RxTimeInterval, action: @escaping (State) -> State
  ) {
    self.scheduler = scheduler
    self.state = state
    self.period = period
    self.action = action
  }

  func schedule(after dueTime: RxTimeInterval) {
    next.hold {
      scheduler.scheduleRelative(self, dueTime: dueTime) { task in
        task.run()
        return Disposables.create()
      }
    }
  }

  func dispose() {
    // The action's captures end outside of the lock.
    withExtendedLifetime(lock.with { action.take() }) { next.dispose() }
  }

  private func run() {
    let isFirst: Bool? = lock.with {
      if action == nil { return nil }
      mustRunAgain = isRunning
      defer { isRunning = true }
      return !isRunning
    }
    guard let isFirst else { return }
    schedule(after: period)
    guard isFirst else { return }
    while let action = lock.with({ action }) {
      state = action(state)
      let isDone = lock.with {
        (isRunning, mustRunAgain) = (mustRunAgain, false)
        return !isRunning
      }
      if isDone { return }
    }
  }
}
