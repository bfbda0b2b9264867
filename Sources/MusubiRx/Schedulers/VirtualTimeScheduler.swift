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
  private var queue: ContiguousArray<Item> = []
  private var nextNumber: UInt64 = 0

  private struct Item {
    let time: VirtualTime
    let number: UInt64
    let task: TrampolineTask
  }

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
    nextNumber += 1
    push(Item(time: time, number: nextNumber, task: task))
    return task
  }

  /// Changes the time for which `schedule` and `scheduleRelative` schedule work.
  open func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { time }

  /// Runs all work, moving the clock as needed.
  public func start() {
    guard !isRunning else { return }
    isRunning = true
    while isRunning, let item = popNext(until: nil) { run(item) }
    isRunning = false
  }

  /// Runs the work up to a point in virtual time, and moves the clock there.
  public func advanceTo(_ virtualTime: VirtualTime) {
    precondition(!isRunning, "advanceTo was called while the scheduler runs.")
    isRunning = true
    while isRunning, let item = popNext(until: virtualTime) { run(item) }
    clock = virtualTime
    isRunning = false
  }

  /// Moves the clock without running what is due.
  public func sleep(_ virtualInterval: VirtualTimeInterval) {
    let target = converter.offsetVirtualTime(clock, offset: virtualInterval)
    precondition(!converter.compareVirtualTime(target, clock).lessThen, "Virtual time cannot go back.")
    clock = target
  }

  /// Stops `start` or `advanceTo` after the work that runs.
  public func stop() { isRunning = false }

  private func run(_ item: Item) {
    if converter.compareVirtualTime(item.time, clock).greaterThan { clock = item.time }
    item.task.execute()
  }

  private func isEarlier(_ left: Item, _ right: Item) -> Bool {
    switch converter.compareVirtualTime(left.time, right.time) {
    case .lessThan: true
    case .equal: left.number < right.number
    case .greaterThan: false
    }
  }

  /// Takes the earliest work out that was not cancelled; nil if there is none up to the limit.
  private func popNext(until limit: VirtualTime?) -> Item? {
    while let first = queue.first {
      if first.task.isDisposed {
        removeFirst()
        continue
      }
      if let limit, converter.compareVirtualTime(first.time, limit).greaterThan { return nil }
      removeFirst()
      return first
    }
    return nil
  }

  private func push(_ item: Item) {
    queue.append(item)
    var child = queue.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard isEarlier(queue[child], queue[parent]) else { break }
      queue.swapAt(child, parent)
      child = parent
    }
  }

  private func removeFirst() {
    queue.swapAt(0, queue.count - 1)
    queue.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < queue.count && isEarlier(queue[child], queue[least]) { least = child }
      guard least != parent else { break }
      queue.swapAt(parent, least)
      parent = least
    }
  }
}
