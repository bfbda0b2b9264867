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
    let outer = enter(scheduler)
    defer { leave(for: outer) }
    return try body()
  }

  /// The scheduler of the loop that runs on this thread; nil on a plain thread.
  package static var current: (any SchedulerType)? { ThreadContext.current.loop }

  /// The loop that ran before `enter`.
  package struct Outer {
    fileprivate let loop: (any SchedulerType & AnyObject)?
  }

  /// Begins work of a loop, which lives until `leave`; for those who cannot afford `with`.
  package static func enter(_ scheduler: any SchedulerType & AnyObject) -> Outer {
    ThreadContext.withCurrent { context in
      let outer = Outer(loop: context.loop)
      context.run(scheduler)
      return outer
    }
  }

  /// The home of a task that begins on this thread now, whose first part runs at once; nil if none does.
  package static var beginning: ObjectIdentifier? {
    get { ThreadContext.current.beginning }
    set { ThreadContext.current.beginning = newValue }
  }

  /// Ends work of a loop.
  package static func leave(for outer: Outer) { ThreadContext.withCurrent { $0.run(outer.loop) } }
}
