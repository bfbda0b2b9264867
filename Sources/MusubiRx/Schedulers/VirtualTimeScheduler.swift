// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import Foundation

/// Converts between a scheduler's virtual time and real time.
public protocol VirtualTimeConverterType {
  /// A point in virtual time.
  associatedtype VirtualTimeUnit
  /// A length of virtual time.
  associatedtype VirtualTimeIntervalUnit

  /// The real time of a virtual one.
  func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime

  /// The virtual time of a real one.
  func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit

  /// The length in seconds of a length of virtual time.
  func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> Double

  /// The virtual length of a length in seconds.
  func convertToVirtualTimeInterval(_ timeInterval: Double) -> VirtualTimeIntervalUnit

  /// A point in virtual time, moved.
  func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit

  /// How two virtual times are ordered.
  func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}

/// How two virtual times are ordered.
public enum VirtualTimeComparison: Sendable {
  /// The first comes before the second.
  case lessThan
  /// They are the same.
  case equal
  /// The first comes after the second.
  case greaterThan
}

extension VirtualTimeComparison {
  /// Whether the first comes before the second.
  public var lessThen: Bool { self == .lessThan }
  /// Whether the first comes after the second.
  public var greaterThan: Bool { self == .greaterThan }
  /// Whether they are the same.
  public var equal: Bool { self == .equal }
}

/// A scheduler whose time moves only when it is told to.
open class VirtualTimeScheduler<Converter: VirtualTimeConverterType>: SchedulerType {
  /// A point in virtual time.
  public typealias VirtualTime = Converter.VirtualTimeUnit
  /// A length of virtual time.
  public typealias VirtualTimeInterval = Converter.VirtualTimeIntervalUnit

  /// The virtual time now.
  public private(set) var clock: VirtualTime
  private let converter: Converter
  private var isRunning = false
  /// The waiting actions, in the order in which they will run.
  private var queue: [(time: VirtualTime, task: TrampolineTask)] = []

  /// Creates a scheduler.
  public init(initialClock: VirtualTime, converter: Converter) {
    clock = initialClock
    self.converter = converter
    #if DEBUG
      Resources.increment()
    #endif
  }

  deinit {
    #if DEBUG
      Resources.decrement()
    #endif
  }

  /// The real time that the clock stands for.
  public var now: RxTime { converter.convertFromVirtualTime(clock) }

  /// Schedules an action for the present.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { scheduleRelative(state, dueTime: .microseconds(0), action: action) }

  /// Schedules an action for later.
  public func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let time = converter.convertToVirtualTime(now.addingTimeInterval(dueTime.inSeconds))
    return scheduleAbsoluteVirtual(state, time: adjustScheduledTime(time), action: action)
  }

  /// Schedules an action for later, in virtual units.
  public func scheduleRelativeVirtual<StateType>(
    _ state: StateType, dueTime: VirtualTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    scheduleAbsoluteVirtual(
      state, time: converter.offsetVirtualTime(clock, offset: dueTime), action: action)
  }

  /// Schedules an action for a point in virtual time.
  public func scheduleAbsoluteVirtual<StateType>(
    _ state: StateType, time: VirtualTime, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let task = ScheduledTask(state, action)
    let last = queue.lastIndex { !converter.compareVirtualTime($0.time, time).greaterThan }
    queue.insert((time, task), at: last.map { $0 + 1 } ?? 0)
    return task
  }

  /// Changes the time for which `schedule` and `scheduleRelative` schedule work.
  open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

  /// Runs all work, moving the clock as needed.
  public func start() {
    guard !isRunning else { return }
    isRunning = true
    while isRunning, runNext(until: nil) {}
    isRunning = false
  }

  /// Runs the work up to a point in virtual time, and moves the clock there.
  public func advanceTo(_ virtualTime: VirtualTime) {
    precondition(!isRunning, "advanceTo was called while the scheduler runs.")
    isRunning = true
    while isRunning, runNext(until: virtualTime) {}
    clock = virtualTime
    isRunning = false
  }

  /// Moves the clock without running due work.
  public func sleep(_ virtualInterval: VirtualTimeInterval) {
    let target = converter.offsetVirtualTime(clock, offset: virtualInterval)
    precondition(!converter.compareVirtualTime(target, clock).lessThen, "Virtual time cannot go back.")
    clock = target
  }

  /// Stops `start` or `advanceTo` after the work that runs.
  public func stop() { isRunning = false }

  /// Runs the earliest work, unless it was cancelled; false if there is none up to the limit.
  private func runNext(until limit: VirtualTime?) -> Bool {
    guard let first = queue.first else { return false }
    if !first.task.isDisposed {
      if let limit, converter.compareVirtualTime(first.time, limit).greaterThan { return false }
      if converter.compareVirtualTime(first.time, clock).greaterThan { clock = first.time }
    }
    queue.removeFirst()
    if !first.task.isDisposed { first.task.execute() }
    return true
  }
}
