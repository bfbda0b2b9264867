// SPDX-License-Identifier: Apache-2.0

internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// What belongs to one thread: the trampoline of `CurrentThreadScheduler`, and the loop that runs here.
///
/// It is kept under a pthread key; the thread's end releases it.
final class ThreadContext {
  /// Whether the trampoline is open.
  @exclusivity(unchecked) var isRunning = false
  // `unsafe`: who enters a loop holds it until it leaves.
  /// The scheduler of the loop that runs on this thread now.
  @exclusivity(unchecked) unowned(unsafe) private(set) var loop: (any SchedulerType & AnyObject)?
  /// Whether there is one, which can be asked without counting a reference to it.
  @exclusivity(unchecked) private var isOnLoop = false
  /// Whether this is the thread that the process began with.
  let isMainThread = Thread.isMainThread
  /// Whether a piece of work of `MainScheduler` runs, which puts further ones behind it.
  @exclusivity(unchecked) var isRunningMain = false
  /// What `SharingScheduler.mock` put in place.
  var makeSharingScheduler: (() -> any SchedulerType)?
  @exclusivity(unchecked) private var queue: ContiguousArray<TrampolineTask> = []
  @exclusivity(unchecked) private var head = 0
  @exclusivity(unchecked) private var mainQueue: ContiguousArray<TrampolineTask> = []

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let failure = pthread_key_create(&key) { pointer in
      #if canImport(Darwin)
        Unmanaged<ThreadContext>.fromOpaque(pointer).release()
      #else
        if let pointer { Unmanaged<ThreadContext>.fromOpaque(pointer).release() }
      #endif
    }
    precondition(failure == 0, "The process has no thread-local key left.")
    return key
  }()

  /// A number that differs between living threads.
  static var identity: UInt { UInt(bitPattern: Unmanaged.passUnretained(current).toOpaque()) }

  /// The identity of the calling thread's context; nil if it has none yet.
  @inline(__always) static var currentPointer: UnsafeMutableRawPointer? { pthread_getspecific(key) }

  /// The context of the calling thread.
  static var current: ThreadContext {
    if let pointer = pthread_getspecific(key) {
      return Unmanaged<ThreadContext>.fromOpaque(pointer).takeUnretainedValue()
    }
    let context = ThreadContext()
    pthread_setspecific(key, Unmanaged.passRetained(context).toOpaque())
    return context
  }

  /// Hands over the context of the calling thread, without counting the reference.
  @inline(__always) static func withCurrent<Result>(_ body: (ThreadContext) -> Result) -> Result {
    guard let pointer = pthread_getspecific(key) else { return body(current) }
    return Unmanaged<ThreadContext>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
  }

  /// Whether work of the main scheduler may run here: on a loop, on the main thread, or in a task of a test.
  var isHome: Bool { isOnLoop || isMainThread || withUnsafeCurrentTask { $0 != nil } }

  /// A loop's scheduler runs on this thread from now on; nil if none does.
  @inline(__always) func run(_ loop: (any SchedulerType & AnyObject)?) {
    self.loop = loop
    isOnLoop = loop != nil
  }

  /// Opens the trampoline, runs the body and then everything that was scheduled meanwhile.
  func enter(_ body: () -> Void) {
    isRunning = true
    body()
    if !queue.isEmpty { drain() }
    isRunning = false
  }

  private func drain() {
    while head < queue.count {
      let task = queue[head]
      head += 1
      if !task.isDisposed { task.execute() }
    }
    queue.removeAll(keepingCapacity: queue.count <= 64)
    head = 0
  }

  /// Puts a task behind those that wait.
  func enqueue(_ task: TrampolineTask) {
    if head > 1024 && head * 2 > queue.count {
      queue.removeFirst(head)
      head = 0
    }
    queue.append(task)
  }

  /// Runs a piece of the main scheduler's work now, or behind the piece that runs.
  func runMain(_ task: TrampolineTask) {
    if isRunningMain { return mainQueue.append(task) }
    isRunningMain = true
    if !task.isDisposed { task.execute() }
    leaveMain()
  }

  /// Runs what piled up behind a piece of the main scheduler's work.
  func leaveMain() {
    if !mainQueue.isEmpty { drainMain() }
    isRunningMain = false
  }

  private func drainMain() {
    var next = 0
    while next < mainQueue.count {
      let task = mainQueue[next]
      next += 1
      if !task.isDisposed { task.execute() }
    }
    mainQueue.removeAll(keepingCapacity: next <= 64)
  }
}

/// A piece of work that waits for its turn on a thread.
class TrampolineTask: Node {
  func execute() {}
}

/// A piece of work with a state, as schedulers take it.
final class ScheduledTask<State>: TrampolineTask {
  private let state: State
  private let action: (State) -> any Disposable
  private var result: (any Disposable)?

  init(_ state: State, _ action: @escaping (State) -> any Disposable) {
    self.state = state
    self.action = action
  }

  override func execute() {
    let result = action(state)
    if isDisposed { result.dispose() } else { self.result = result }
  }

  override func disposed() {
    let old = result
    result = nil
    old?.dispose()
  }
}
