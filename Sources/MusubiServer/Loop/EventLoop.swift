// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// One thread of the server, as an executor: jobs that are enqueued here run there, one after the other, in
/// order.
///
/// May be used from every thread. The thread's own things (connections, the service) are in a `LoopCore`.
package final class EventLoop: SerialExecutor, TaskExecutor {
  /// Which of the server's loops this is, from 0.
  package let index: Int

  private let inbox = Mutex(Inbox())
  private let thread = Atomic<UInt>(0)
  /// What the thread owns; the thread alone reads and writes it.
  nonisolated(unsafe) private weak var core: LoopCore?

  /// A parcel for the loop's thread.
  enum Item {
    /// A piece of a Swift task.
    case job(UnownedJob)
    /// A closure of a neighbour.
    case work(@Sendable () -> Void)
    /// A closure of the server that needs what the thread owns.
    case command(@Sendable (LoopCore) -> Void)
  }

  private struct Inbox {
    var items: [Item] = []
    /// An array that was used, for the next items.
    var spare: [Item] = []
    /// Wakes the thread; nil before it runs and after it has ended.
    var waker: LoopWaker?
    var hasEnded = false
  }

  init(index: Int) { self.index = index }

  /// Runs a closure on the loop's thread, after everything enqueued before.
  ///
  /// - Parameter work: What to do; it must not block.
  /// - Returns: Whether it will run; a loop that has ended drops it.
  @discardableResult
  package func enqueue(_ work: @escaping @Sendable () -> Void) -> Bool { post(.work(work)) }

  package func enqueue(_ job: consuming ExecutorJob) { _ = post(.job(UnownedJob(job))) }

  /// Runs a closure on the loop's thread with what that thread owns.
  ///
  /// - Parameter body: What to do; it must not block.
  /// - Returns: Whether it will run: the loop has not ended.
  @discardableResult
  func command(_ body: @escaping @Sendable (LoopCore) -> Void) -> Bool { post(.command(body)) }

  /// Runs a closure on the loop's thread with the loop's counts, and begins to look for the longest iteration again.
  ///
  /// - Parameter body: What to do; it must not block.
  /// - Returns: Whether it will run: the loop has not ended.
  @discardableResult
  package func takeStatistics(_ body: @escaping @Sendable (LoopStatistics) -> Void) -> Bool {
    command { core in
      body(core.statistics)
      core.statistics.longestLately = .zero
    }
  }

  package func checkIsolated() {
    precondition(
      isCurrent, "This runs on another thread than loop \(index), to which it belongs; use loop.enqueue.")
  }

  package func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Whether the caller runs on the loop's thread.
  package var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// The time on the loop's monotonic clock.
  package var now: Duration { MonotonicTime.now }

  /// When the events of the iteration that runs arrived; for the loop's thread alone.
  package var iterationTime: Duration { core?.iterationTime ?? now }

  /// The links to other nodes; for the loop's thread alone.
  var links: LoopLinks? {
    preconditionIsolated()
    return core?.links
  }

  private func post(_ item: Item) -> Bool {
    inbox.withLock { inbox in
      guard !inbox.hasEnded else { return false }
      inbox.items.append(item)
      // Whoever made it non-empty has woken the thread already.
      if inbox.items.count == 1 { inbox.waker?.wake() }
      return true
    }
  }
}

// MARK: - The thread's side

extension EventLoop {
  /// Says how to wake the thread, before it starts.
  func attach(_ waker: LoopWaker) {
    inbox.withLock { $0.waker = waker }
  }

  /// Makes the calling thread the loop's own.
  func adoptCurrentThread(with core: LoopCore) {
    thread.store(UInt(pthread_self()), ordering: .relaxed)
    self.core = core
  }

  /// Runs what still waits, and drops what comes from now on; nobody is woken any more.
  func end(on core: LoopCore) {
    let items = inbox.withLock { inbox in
      inbox.hasEnded = true
      inbox.waker = nil
      defer { inbox.items = [] }
      return inbox.items
    }
    run(items, on: core)
  }

  /// Runs what waits, not what arrives meanwhile.
  func runWaiting(on core: LoopCore) {
    var items: [Item] = []
    inbox.withLock { inbox in
      swap(&items, &inbox.items)
      swap(&inbox.items, &inbox.spare)
    }
    run(items, on: core)
    items.removeAll(keepingCapacity: items.capacity <= 256)
    inbox.withLock { $0.spare = items }
  }

  private func run(_ items: [Item], on core: LoopCore) {
    for item in items {
      switch item {
      case .job(let job):
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      case .work(let work): work()
      case .command(let body): body(core)
      }
    }
  }
}
