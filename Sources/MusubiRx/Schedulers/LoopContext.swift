// SPDX-License-Identifier: Apache-2.0

/// Tells `MainScheduler` which loop runs on the calling thread.
///
/// Whoever handles an event of a room does so inside `with`: then `MainScheduler.instance`, and everything that uses
/// it without being asked (Driver, Signal, timers), means that room's scheduler.
package enum LoopContext {
  /// Runs a body as work of a loop.
  @inline(__always)
  package static func with<Result>(
    _ scheduler: any LoopScheduler, _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = enter(scheduler)
    defer { leave(for: outer) }
    return try body()
  }

  /// The scheduler of the loop that runs on this thread; nil on a plain thread.
  package static var current: (any SchedulerType)? { ThreadContext.current.loop }

  /// The loop that ran before `enter`.
  package struct Outer {
    fileprivate let loop: (any LoopScheduler)?
  }

  /// Begins work of a loop, which lives until `leave`; for those who cannot afford `with`.
  package static func enter(_ scheduler: any LoopScheduler) -> Outer {
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

  /// Who has caused what runs on this thread now; nil if nobody has.
  package static var cause: (any WorkCause)? {
    ThreadContext.withCurrent { context in
      guard let loop = context.loop else { return context.cause }
      return loop.cause
    }
  }

  /// Runs a body as work that somebody has caused, or nobody.
  package static func causing<Result>(
    by cause: (any WorkCause)?, _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = self.cause
    if outer === cause { return try body() }
    setCause(cause)
    defer { setCause(outer) }
    return try body()
  }

  private static func setCause(_ cause: (any WorkCause)?) {
    ThreadContext.withCurrent { context in
      if let loop = context.loop {
        loop.cause = cause
      } else {
        context.cause = cause
      }
    }
  }

  /// The rest of the turn that runs on this thread is work that somebody has caused; without a turn nothing happens.
  package static func carry(_ cause: (any WorkCause)?) {
    ThreadContext.withCurrent { context in context.loop?.cause = cause }
  }

  /// Ends work of a loop.
  package static func leave(for outer: Outer) { ThreadContext.withCurrent { $0.run(outer.loop) } }
}

/// Who has caused work: it goes along with work that is begun and runs later, or on another thread.
package protocol WorkCause: AnyObject, Sendable {}

/// A loop's scheduler, which knows who has caused what it runs.
package protocol LoopScheduler: SchedulerType, AnyObject {
  /// Who has caused what runs now; nil if nobody has.
  var cause: (any WorkCause)? { get set }
}
