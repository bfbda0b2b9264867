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
  private let state = Mutex(State(jobs: [], posted: []))

  private struct State {
    /// The work that a test has to run: parts of tasks, and posted closures.
    var jobs, posted: [@Sendable () -> Void]
    var running = 0
    var waiting: CheckedContinuation<Void, Never>?
  }

  init(_ loop: (any LoopHome)?) { self.loop = Carried(loop) }

  /// Whether the caller is where the models live; in a test everybody is.
  var isHere: Bool { loop.element?.isOnLoop ?? true }

  /// Whether the caller runs on a loop that is this home; in a test nobody does.
  var isOnLoop: Bool { loop.element?.isOnLoop ?? false }

  /// Has a body run here later.
  func post(_ body: @escaping @Sendable () -> Void) { run(body, asPartOf: \.posted) }

  private func run(
    _ body: @escaping @Sendable () -> Void, asPartOf list: WritableKeyPath<State, [@Sendable () -> Void]>
  ) {
    if let loop = loop.element { return loop.post(body) }
    let waiting = state.withLock { state in
      state[keyPath: list].append(body)
      return state.waiting.take()
    }
    waiting?.resume()
  }

  /// Begins a task here; its first part runs before this returns.
  ///
  /// - Parameters:
  ///   - key: The key of the effect that it is.
  ///   - work: The work.
  /// - Returns: The task.
  func start(key: String?, _ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    state.withLock { $0.running += 1 }
    let executor: any TaskExecutor = LoopContext.cause.map { CausedHome(self, $0) } ?? self
    // Of this thread: a task that comes back from another one at the same moment is not the one that begins.
    LoopContext.beginning = ObjectIdentifier(executor)
    defer { LoopContext.beginning = nil }
    return Task(executorPreference: executor) {
      await Effect.$currentKey.withValue(key) { await work() }
      self.state.withLock { $0.running -= 1 }
      withExtendedLifetime(executor) {}
    }
  }

  package func enqueue(_ job: consuming ExecutorJob) { run(UnownedJob(job), on: self, by: nil) }

  /// Runs a part of a task: at once if it is the first one, and else here later.
  fileprivate func run(_ job: UnownedJob, on executor: some TaskExecutor, by cause: (any WorkCause)?) {
    let unowned = executor.asUnownedTaskExecutor()
    if LoopContext.beginning == ObjectIdentifier(executor) {
      LoopContext.beginning = nil
      return job.runSynchronously(on: unowned)
    }
    run(
      {
        if let cause { LoopContext.carry(cause) }
        job.runSynchronously(on: unowned)
      }, asPartOf: \.jobs)
  }

  /// Runs what was posted in a test, and no task.
  package func runPosted() { while run(\.posted) {} }

  /// Runs what a test has to run and what can run now.
  package func runReady() { while run(\.posted) || run(\.jobs) {} }

  private func run(_ list: WritableKeyPath<State, [@Sendable () -> Void]>) -> Bool {
    let bodies = state.withLock { state in
      defer { state[keyPath: list] = [] }
      return state[keyPath: list]
    }
    for body in bodies { body() }
    return !bodies.isEmpty
  }

  /// Runs the tasks of a screen in a test until all have ended.
  package func settle() async {
    while true {
      runReady()
      guard state.withLock({ $0.running > 0 }) else { return }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          guard state.jobs.isEmpty, state.posted.isEmpty else { return true }
          state.waiting = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }
}

/// The executor of a task that somebody has caused: each part of the task is work of that cause.
private final class CausedHome: TaskExecutor {
  private let home: ModelHome
  private let cause: any WorkCause

  init(_ home: ModelHome, _ cause: any WorkCause) { (self.home, self.cause) = (home, cause) }

  func enqueue(_ job: consuming ExecutorJob) { home.run(UnownedJob(job), on: self, by: cause) }
}
