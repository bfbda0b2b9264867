// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import MusubiRx

/// A loop as a server has it: a serial queue on which its scheduler is the main one.
final class QueueLoop: LoopScheduler, Sendable {
  private let queue = DispatchQueue(label: "loop")

  var now: RxTime { Date() }

  func schedule<State>(_ state: State, action: @escaping (State) -> any Disposable) -> any Disposable {
    nonisolated(unsafe) let work = { action(state) }
    queue.async { LoopContext.with(self) { _ = work() } }
    return Disposables.create()
  }

  func scheduleRelative<State>(
    _ state: State, dueTime: RxTimeInterval, action: @escaping (State) -> any Disposable
  ) -> any Disposable {
    nonisolated(unsafe) let work = { action(state) }
    queue.asyncAfter(deadline: .now() + dueTime) { LoopContext.with(self) { _ = work() } }
    return Disposables.create()
  }

  /// Runs a body on the loop, and waits for it.
  func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    try queue.sync { try LoopContext.with(self, body) }
  }
}

/// The loops of these tests handle no inputs.
extension LoopScheduler {
  var cause: (any WorkCause)? {
    get { nil }
    set {}
  }
}

extension SerialDispatchQueueScheduler: LoopScheduler {}
