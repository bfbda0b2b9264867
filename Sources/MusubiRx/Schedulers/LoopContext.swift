// SPDX-License-Identifier: Apache-2.0

/// Tells `MainScheduler` which loop runs on the calling thread.
///
/// Whoever handles an event of a room does so inside `with`: then `MainScheduler.instance`, and everything that uses
/// it without being asked (Driver, Signal, timers), means that room's scheduler.
package enum LoopContext {
  /// Runs a body as work of a loop.
  @inline(__always)
  package static func with<Result>(
    _ scheduler: any SchedulerType & AnyObject, _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = replaceCurrent(by: scheduler)
    defer { _ = replaceCurrent(by: outer) }
    return try body()
  }

  /// The scheduler of the loop that runs on this thread; nil on a plain thread.
  package static var current: (any SchedulerType)? { ThreadContext.current.loop }

  /// Says which loop runs on this thread from now on; for those who cannot afford `with`, and put the outer one back.
  package static func replaceCurrent(
    by scheduler: (any SchedulerType & AnyObject)?
  ) -> (any SchedulerType & AnyObject)? {
    var scheduler = scheduler
    swap(&ThreadContext.current.loop, &scheduler)
    return scheduler
  }
}
