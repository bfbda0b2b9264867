// SPDX-License-Identifier: Apache-2.0

extension ImmediateSchedulerType {
  /// Runs an action that may ask to be run again.
  public func scheduleRecursive<State>(
    _ state: State, action: @escaping (_ state: State, _ recurse: (State) -> Void) -> Void
  ) -> any Disposable {
    let task = RecursiveTask<State>(self, action)
    task.schedule(state)
    return task
  }
}

extension SchedulerType {
  /// Runs an action after a while; it may ask to be run again.
  public func scheduleRecursive<State>(
    _ state: State, dueTime: RxTimeInterval,
    action: @escaping (State, AnyRecursiveScheduler<State>) -> Void
  ) -> any Disposable {
    let scheduler = AnyRecursiveScheduler(scheduler: self, action: action)
    scheduler.schedule(state, dueTime: dueTime)
    return Disposables.create { scheduler.dispose() }
  }
}

/// Runs an action again and again; may be disposed on another thread than it runs on.
private final class RecursiveTask<State>: DisposeBase, Disposable {
  private let lock = Lock()
  private let scheduler: any ImmediateSchedulerType
  private var action: ((State, (State) -> Void) -> Void)?
  private let pending = SerialDisposable()

  init(_ scheduler: any ImmediateSchedulerType, _ action: @escaping (State, (State) -> Void) -> Void) {
    self.scheduler = scheduler
    self.action = action
  }

  func schedule(_ state: State) {
    pending.hold {
      scheduler.schedule((self, state)) { task, state in
        task.pending.disposable = Disposables.create()
        task.lock.with { task.action }?(state) { task.schedule($0) }
        return Disposables.create()
      }
    }
  }

  func dispose() {
    // The action's captures end outside of the lock.
    withExtendedLifetime(lock.with { action.take() }) { pending.dispose() }
  }
}

/// Runs an action again whenever it is asked to, each time after a wait of its own.
public final class AnyRecursiveScheduler<State> {
  private let scheduler: any SchedulerType
  private let lock = Lock()
  private var action: ((State, AnyRecursiveScheduler<State>) -> Void)?
  private let group = CompositeDisposable()

  init(scheduler: any SchedulerType, action: @escaping (State, AnyRecursiveScheduler<State>) -> Void) {
    self.scheduler = scheduler
    self.action = action
  }

  /// Schedules another run.
  public func schedule(_ state: State, dueTime: RxTimeInterval) {
    plan { scheduler.scheduleRelative(state, dueTime: dueTime, action: $0) }
  }

  /// Schedules another run as soon as possible.
  public func schedule(_ state: State) { plan { scheduler.schedule(state, action: $0) } }

  private func plan(_ schedule: (_ run: @escaping (State) -> any Disposable) -> any Disposable) {
    let place = SingleAssignmentDisposable()
    let key = group.insert(place)
    place.setDisposable(
      schedule { [self] state in
        if let key { group.remove(for: key) }
        lock.with { action }?(state, self)
        return Disposables.create()
      })
  }

  /// Cancels all runs to come.
  public func dispose() {
    withExtendedLifetime(lock.with { action.take() }) { group.dispose() }
  }
}
