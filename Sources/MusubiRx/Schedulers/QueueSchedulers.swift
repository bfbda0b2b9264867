// SPDX-License-Identifier: Apache-2.0

public import Dispatch
public import Foundation

/// Runs work on a serial queue, one piece after the other.
///
/// An asynchronous boundary: any thread may schedule; the work then belongs to the queue.
public final class SerialDispatchQueueScheduler: SchedulerType, Sendable {
  private let queue: DispatchQueue

  /// Creates a scheduler with a queue of its own.
  public init(
    internalSerialQueueName: String, serialQueueConfiguration: ((DispatchQueue) -> Void)? = nil,
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) {
    queue = DispatchQueue(label: internalSerialQueueName)
    serialQueueConfiguration?(queue)
  }

  /// Creates a scheduler on top of a queue, which may be concurrent.
  public init(
    queue: DispatchQueue, internalSerialQueueName: String = "musubi.serial",
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { self.queue = DispatchQueue(label: internalSerialQueueName, target: queue) }

  /// Creates a scheduler with a quality of service.
  public convenience init(
    qos: DispatchQoS, internalSerialQueueName: String = "musubi.serial",
    leeway: DispatchTimeInterval = .nanoseconds(0)
  ) { self.init(queue: .global(qos: qos.qosClass), internalSerialQueueName: internalSerialQueueName) }

  /// The wall clock.
  public var now: RxTime { Date() }

  /// Runs an action on the queue.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { QueueWork(state, action).submit(to: queue, after: nil) }

  /// Runs an action on the queue after a while.
  public func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { QueueWork(state, action).submit(to: queue, after: dueTime) }
}

/// Runs work on a concurrent queue; pieces may run at the same time.
///
/// An asynchronous boundary: any thread may schedule. What an operator schedules for one chain still runs in order.
public final class ConcurrentDispatchQueueScheduler: SchedulerType, Sendable {
  private let queue: DispatchQueue

  /// Creates a scheduler on a queue.
  public init(queue: DispatchQueue, leeway: DispatchTimeInterval = .nanoseconds(0)) { self.queue = queue }

  /// Creates a scheduler with a quality of service.
  public convenience init(qos: DispatchQoS, leeway: DispatchTimeInterval = .nanoseconds(0)) {
    self.init(queue: DispatchQueue(label: "musubi.concurrent", qos: qos, attributes: .concurrent))
  }

  /// The wall clock.
  public var now: RxTime { Date() }

  /// Runs an action on the queue.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { QueueWork(state, action).submit(to: queue, after: nil) }

  /// Runs an action on the queue after a while.
  public func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { QueueWork(state, action).submit(to: queue, after: dueTime) }
}

/// The main scheduler for subscriptions; here it is the same as `MainScheduler`.
public typealias ConcurrentMainScheduler = MainScheduler

/// Runs work on an operation queue.
public final class OperationQueueScheduler: ImmediateSchedulerType, Sendable {
  /// The queue.
  public let operationQueue: OperationQueue
  /// The priority of the work.
  public let queuePriority: Operation.QueuePriority

  /// Creates a scheduler.
  public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
    self.operationQueue = operationQueue
    self.queuePriority = queuePriority
  }

  /// Runs an action on the queue.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let work = QueueWork(state, action)
    let carried = Carried(work)
    let operation = BlockOperation { carried.element.run() }
    operation.queuePriority = queuePriority
    operationQueue.addOperation(operation)
    return work
  }
}

/// A piece of work on its way to a queue.
///
/// The lock guards the flag and the result; the state and the action belong to the queue from `schedule` on.
private final class QueueWork<State>: Disposable {
  private let lock = Lock()
  private var work: (state: State, action: (State) -> any Disposable)?
  private var result: (any Disposable)?
  private var isDisposed = false
  private let cause = LoopContext.cause

  init(_ state: State, _ action: @escaping (State) -> any Disposable) { work = (state, action) }

  func submit(to queue: DispatchQueue, after delay: DispatchTimeInterval?) -> any Disposable {
    let work = Carried(self)
    if let delay {
      queue.asyncAfter(deadline: .now() + delay) { work.element.run() }
    } else {
      queue.async { work.element.run() }
    }
    return self
  }

  func run() {
    guard let due = lock.with({ work.take() }) else { return }
    let result = LoopContext.causing(by: cause) { due.action(due.state) }
    let isLate = lock.with {
      if !isDisposed { self.result = result }
      return isDisposed
    }
    if isLate { result.dispose() }
  }

  func dispose() {
    let old = lock.with {
      isDisposed = true
      work = nil
      return result.take()
    }
    old?.dispose()
  }
}
