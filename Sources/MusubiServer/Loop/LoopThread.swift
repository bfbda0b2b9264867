// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc
import Synchronization

/// The thread of one loop, from its start to its end.
final class LoopThread: Sendable {
  private let state: LoopThreadEnd

  /// Starts the thread; the caller gives the core away and must not touch it again.
  init(core: LoopCore, makeService: @escaping Server.ServiceFactory) {
    state = LoopThreadEnd()
    let parcel = Parcel(core: core, makeService: makeService, state: state)
    var thread = pthread_t()
    // Released by `runLoop`, which the thread starts with.
    let word = Unmanaged.passRetained(parcel).toOpaque()
    let result = pthread_create(&thread, nil, runLoop, word)
    precondition(result == 0, "The system gives no thread for loop \(core.loop.index).")
    pthread_detach(thread)
  }

  /// Returns when the thread has given everything back.
  func hasEnded() async { await state.hasEnded() }
}

/// What the new thread takes over.
private final class Parcel {
  let core: LoopCore
  let makeService: Server.ServiceFactory
  let state: LoopThreadEnd

  init(core: LoopCore, makeService: @escaping Server.ServiceFactory, state: LoopThreadEnd) {
    self.core = core
    self.makeService = makeService
    self.state = state
  }
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

/// The thread's first function; free and nonisolated, because the system calls it on a thread of its own.
private nonisolated func runLoop(_ word: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let word else { return nil }
  let state = runParcel(Unmanaged<Parcel>.fromOpaque(word).takeRetainedValue())
  state.end()
  return nil
}

/// A function of its own, so that core and service are gone before the end is told.
private func runParcel(_ parcel: Parcel) -> LoopThreadEnd {
  musubi_name_current_thread("musubi-\(parcel.core.loop.index)")
  parcel.core.run(makeService: parcel.makeService)
  return parcel.state
}
