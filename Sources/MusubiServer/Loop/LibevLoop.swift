// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets

/// A libev loop with its watchers.
///
/// Used by one thread at a time; `waker` may be called on any thread while the loop lives.
final class LibevLoop {
  /// The C object; only this file, `LWSContext` and `WatchedSocket` see it.
  let raw: OpaquePointer

  /// Creates a loop that does not run yet.
  ///
  /// - Parameter core: Who is told what happens, on the thread that runs the loop; it outlives the loop.
  /// - Throws: `ServerError` if the system gives no epoll instance.
  init(core: LoopCore) throws(ServerError) {
    var handlers = musubi_loop_handlers(
      owner: Unmanaged.passUnretained(core).toOpaque(),
      woken: { loopCore($0)?.woken() },
      iteration_begins: { loopCore($0)?.iterationBegins() },
      iteration_ends: { loopCore($0)?.iterationEnds() },
      timer_fired: { loopCore($0)?.timerFired() },
      readable: { loopCore($0)?.acceptable() },
      stream_ready: { owner, isReadable, isWritable in
        guard let owner else { return }
        let connection = Connection.at(owner)
        if isReadable != 0 { connection.readable() }
        if isWritable != 0 { connection.writable() }
      },
      watch_ready: { WatchedSocket.at($0)?.ready(isReadable: $1 != 0, isWritable: $2 != 0) })
    guard let loop = musubi_loop_create(&handlers) else {
      throw .cannotStart("the system gives no epoll instance")
    }
    raw = loop
  }

  deinit { musubi_loop_destroy(raw) }

  /// Handles events until `stop`.
  func run() { musubi_loop_run(raw) }

  /// Makes `run` return at the end of the iteration.
  func stop() { musubi_loop_break(raw) }

  /// Calls `timerFired` once after the delay; nil takes the wish back.
  func setTimer(after delay: Duration?) {
    musubi_loop_set_timer(raw, delay.map { max(0, $0.inSeconds) } ?? -1)
  }

  /// Calls `acceptable` whenever the listening socket has connections.
  func watch(_ listener: ListenSocket) { musubi_loop_watch(raw, listener.descriptor) }

  /// Forgets the listening socket.
  func unwatch() { musubi_loop_unwatch(raw) }

  /// What wakes the loop from any thread.
  var waker: LoopWaker { LoopWaker(raw) }
}

/// Wakes a loop from any thread; not to be used after the loop is gone.
///
/// `@unchecked Sendable`: `ev_async_send` is made for other threads, and the inbox that holds the only copy forgets
/// it under its lock before the loop goes.
struct LoopWaker: @unchecked Sendable {
  private let raw: OpaquePointer

  fileprivate init(_ raw: OpaquePointer) { self.raw = raw }

  func wake() { musubi_loop_wake(raw) }
}

/// The core that a C callback is about.
private func loopCore(_ owner: UnsafeMutableRawPointer?) -> LoopCore? {
  owner.map { Unmanaged<LoopCore>.fromOpaque($0).takeUnretainedValue() }
}
