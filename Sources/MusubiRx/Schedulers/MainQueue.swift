// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// Sends work to a loop or to the main queue.
enum MainQueue {
  static func enqueue(_ task: TrampolineTask, loop: (any SchedulerType)?) {
    let task = Carried(task)
    if let loop {
      _ = loop.schedule(task) { task in
        run(task)
        return Disposables.create()
      }
    } else {
      DispatchQueue.main.async { run(task) }
    }
  }

  /// Runs a task that was sent here, unless the sender has cancelled it.
  static func run(_ task: Carried<TrampolineTask>) { ThreadContext.current.main.run(task.element) }
}

/// Carries a value over to another thread.
///
/// `@unchecked Sendable`: a bridge hands each value over whole, and uses it on one side at a time.
package struct Carried<Value>: @unchecked Sendable {
  /// The value.
  package let element: Value

  /// Wraps a value.
  package init(_ element: Value) { self.element = element }
}
