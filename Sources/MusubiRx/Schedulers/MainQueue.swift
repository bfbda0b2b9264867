// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// Sends work to a loop or to the main queue.
enum MainQueue {
  static func enqueue(_ handle: QueueHandle, loop: (any SchedulerType)?) {
    if let loop {
      _ = loop.schedule(handle) { handle in
        handle.run()
        return Disposables.create()
      }
    } else {
      DispatchQueue.main.async { handle.run() }
    }
  }
}

/// Carries a task to a queue.
///
/// `@unchecked Sendable`: the task is handed over whole; until it runs, the sender only ever cancels it.
final class QueueHandle: @unchecked Sendable {
  private let task: TrampolineTask

  init(_ task: TrampolineTask) { self.task = task }

  func run() {
    if !task.isDisposed { ThreadContext.current.runMain(task) }
  }
}
