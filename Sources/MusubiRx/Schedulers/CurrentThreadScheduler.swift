// SPDX-License-Identifier: Apache-2.0

/// Runs work on the calling thread: at once if nothing runs, otherwise after what runs.
public final class CurrentThreadScheduler: ImmediateSchedulerType, Sendable {
  /// The scheduler; it keeps its queue per thread.
  public static let instance = CurrentThreadScheduler()

  /// Whether work would run at once.
  public static var isScheduleRequired: Bool { !ThreadContext.current.trampoline.isRunning }

  /// Runs an action now, or after what runs on this thread.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let task = ScheduledTask(state, action)
    ThreadContext.current.trampoline.run(task)
    return task
  }
}
