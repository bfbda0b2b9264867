// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc
import Synchronization

/// The thread of one loop, from its start to its end.
final class LoopThread: Sendable {
  private let state = LoopThreadEnd()

  /// Starts the thread; the caller gives the core away and must not touch it again.
  init(core: LoopCore, name: String, makeService: @escaping Server.ServiceFactory) {
    let isRunning = startThread(
      {
        musubi_name_current_thread("musubi-\(name)")
        core.run(makeService: makeService)
      }, andThen: { [state] in state.end() })
    precondition(isRunning, "The system gives no thread for loop \(name).")
  }

  /// Returns when the thread has given everything back.
  func hasEnded() async { await state.hasEnded() }
}

/// Lets tasks wait for the end of a thread.
final class LoopThreadEnd: Sendable {
  private let state = Mutex(Waiters())

  private struct Waiters {
    var isEnded = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  func end() {
    let waiting = state.withLock { state in
      state.isEnded = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func hasEnded() async {
    await withCheckedContinuation { continuation in
      let isEnded = state.withLock { state in
        if !state.isEnded { state.waiting.append(continuation) }
        return state.isEnded
      }
      if isEnded { continuation.resume() }
    }
  }
}

/// Starts a thread that nobody joins; the caller gives it what the work holds.
///
/// - Parameters:
///   - work: What the thread does.
///   - end: Called on the thread when the work, with all that it holds, has gone.
/// - Returns: Whether the system gives a thread; nothing is called if not.
func startThread(_ work: @escaping () -> Void, andThen end: @escaping () -> Void = {}) -> Bool {
  var thread = pthread_t()
  // Released by `runThread`, or below.
  let parcel = Unmanaged.passRetained(Parcel(work: work, end: end))
  guard pthread_create(&thread, nil, runThread, parcel.toOpaque()) == 0 else {
    parcel.release()
    return false
  }
  pthread_detach(thread)
  return true
}

/// What a new thread takes over.
private final class Parcel {
  let work, end: () -> Void

  init(work: @escaping () -> Void, end: @escaping () -> Void) {
    self.work = work
    self.end = end
  }
}

/// A thread's first function; free and nonisolated, because the system calls it on a thread of its own.
private nonisolated func runThread(_ word: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let word else { return nil }
  let end = run(Unmanaged<Parcel>.fromOpaque(word).takeRetainedValue())
  end()
  return nil
}

/// A function of its own, so that what the work holds has gone before the end is told.
private func run(_ parcel: Parcel) -> () -> Void {
  parcel.work()
  return parcel.end
}
