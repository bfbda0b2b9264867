// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import Synchronization

/// A loop on which models live.
package protocol LoopHome: AnyObject {
  /// Whether the caller runs on it; from any thread.
  var isOnLoop: Bool { get }
  /// Runs work there as a turn of the room, later; from any thread.
  func post(_ work: @escaping @Sendable () -> Void)
}

/// Where the models of one screen live: a loop, or in a unit test whoever runs the test.
///
/// It is the executor of the screen's tasks: a model's `async` method comes back here after each `await` of something that
/// runs elsewhere (SE-0417, task executor preference).
package final class ModelHome: TaskExecutor {
  private let loop: Carried<(any LoopHome)?>
  private let state = Mutex(State())

  private struct State {
    /// Whether a task begins, whose first part runs at once.
    var isStarting = false
    /// What a test has to run.
    var jobs: [UnownedJob] = []
    var running = 0
    var waiting: CheckedContinuation<Void, Never>?
  }

  init(_ loop: (any LoopHome)?) { self.loop = Carried(loop) }

  /// Whether the caller is where the models live; in a test everybody is.
  var isHere: Bool { loop.element?.isOnLoop ?? true }

  /// Has a body run here later.
  func post(_ body: @escaping @Sendable () -> Void) { loop.element?.post(body) }

  /// Begins a task here; its first part runs before this returns.
  ///
  /// - Parameters:
  ///   - key: The key of the effect that it is.
  ///   - work: The work.
  /// - Returns: The task.
  func start(key: String?, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    state.withLock {
      $0.isStarting = true
      $0.running += 1
    }
    return Task(executorPreference: self) {
      await Effect.$currentKey.withValue(key) { await work() }
      self.state.withLock { $0.running -= 1 }
    }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (isFirst, waiting) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
      if state.isStarting {
        state.isStarting = false
        return (true, nil)
      }
      guard loop.element == nil else { return (false, nil) }
      state.jobs.append(job)
      return (false, state.waiting.take())
    }
    if isFirst { return job.runSynchronously(on: asUnownedTaskExecutor()) }
    guard let loop = loop.element else {
      waiting?.resume()
      return
    }
    let executor = asUnownedTaskExecutor()
    loop.post { job.runSynchronously(on: executor) }
  }

  /// Runs the tasks of a screen in a test until all have ended.
  package func settle() async {
    while true {
      let (jobs, running) = state.withLock { state in
        defer { state.jobs = [] }
        return (state.jobs, state.running)
      }
      for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
      if !jobs.isEmpty { continue }
      guard running > 0 else { return }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          guard state.jobs.isEmpty else { return true }
          state.waiting = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }
}
