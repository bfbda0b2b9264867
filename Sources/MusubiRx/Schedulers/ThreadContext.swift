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
  /// The work of `CurrentThreadScheduler`, which opens with the outermost subscription.
  let trampoline = Trampoline()
  /// The work of `MainScheduler`.
  let main = Trampoline()
  /// The scheduler of the loop that runs on this thread now.
  private(set) var loop: (any LoopScheduler)?
  /// Who has caused what runs on this thread, if no loop does.
  var cause: (any WorkCause)?
  /// Whether this is the thread that the process began with.
  let isMainThread = Thread.isMainThread
  /// Whether a chain is being subscribed that any thread may dispose of.
  var needsGates = false
  /// The home of a task that begins on this thread now, whose first part runs at once.
  var beginning: ObjectIdentifier?
  /// What `SharingScheduler.mock` put in place.
  var makeSharingScheduler: (() -> any SchedulerType)?

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let failure = pthread_key_create(&key) { pointer in
      #if canImport(Darwin)
        ThreadContext.at(pointer).release()
      #else
        if let pointer { ThreadContext.at(pointer).release() }
      #endif
    }
    precondition(failure == 0, "The process has no thread-local key left.")
    return key
  }()

  private static func at(_ pointer: UnsafeMutableRawPointer) -> Unmanaged<ThreadContext> {
    .fromOpaque(pointer)
  }

  /// The context of the calling thread.
  static var current: ThreadContext {
    if let pointer = pthread_getspecific(key) { return at(pointer).takeUnretainedValue() }
    let context = ThreadContext()
    pthread_setspecific(key, Unmanaged.passRetained(context).toOpaque())
    return context
  }

  /// Hands over the context of the calling thread, without counting the reference.
  @inline(__always) static func withCurrent<Result>(_ body: (ThreadContext) -> Result) -> Result {
    guard let pointer = pthread_getspecific(key) else { return body(current) }
    return at(pointer)._withUnsafeGuaranteedRef(body)
  }

  /// Whether work of the main scheduler may run here: on a loop, on the main thread, or in a task of a test.
  var isHome: Bool { loop != nil || isMainThread || withUnsafeCurrentTask { $0 != nil } }

  /// A loop's scheduler runs on this thread from now on; nil if none does.
  @inline(__always) func run(_ loop: (any LoopScheduler)?) { self.loop = loop }
}

/// Runs pieces of work one after the other: work that is scheduled while one runs waits behind it.
final class Trampoline {
  /// Whether a piece of work runs.
  private(set) var isRunning = false
  private var queue = Fifo<TrampolineTask>()

  /// Runs the body, and then everything that was scheduled meanwhile.
  @inline(__always) func enter(_ body: () -> Void) {
    isRunning = true
    body()
    if !queue.isEmpty { drain() }
    isRunning = false
  }

  private func drain() {
    while let task = queue.popFirst() {
      if !task.isDisposed { task.execute() }
    }
  }

  /// Runs a piece of work now, or behind the one that runs.
  func run(_ task: TrampolineTask) {
    if isRunning { return queue.append(task) }
    enter { if !task.isDisposed { task.execute() } }
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
