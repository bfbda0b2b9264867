// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets

/// What a `LibevLoop` tells its owner, always on the thread that runs it.
protocol LibevLoopDelegate: AnyObject {
  /// Another thread has called `wake`.
  func woken()
  /// Events have arrived.
  func turnBegins()
  /// All events have been handled; the loop is about to wait.
  func turnEnds()
  /// The time set last has passed.
  func timerFired()
  /// The watched socket has connections to accept.
  func acceptable()
}

/// A libev loop with its watchers.
///
/// Used by one thread at a time; `waker` may be called on any thread while the loop lives.
final class LibevLoop {
  /// The C object; only this file and `LWSContext` see it.
  let raw: OpaquePointer

  private unowned let delegate: any LibevLoopDelegate

  /// Creates a loop that does not run yet.
  ///
  /// - Parameter delegate: Who is told; it outlives the loop.
  /// - Throws: `ServerError` if the system gives no epoll instance.
  init(delegate: any LibevLoopDelegate) throws(ServerError) {
    // Unretained: the delegate owns this loop and outlives it.
    let box = DelegateBox(delegate)
    var handlers = musubi_loop_handlers(
      owner: Unmanaged.passUnretained(box).toOpaque(),
      woken: { DelegateBox.delegate($0)?.woken() },
      turn_begins: { DelegateBox.delegate($0)?.turnBegins() },
      turn_ends: { DelegateBox.delegate($0)?.turnEnds() },
      timer_fired: { DelegateBox.delegate($0)?.timerFired() },
      readable: { DelegateBox.delegate($0)?.acceptable() },
      stream_ready: { owner, isReadable, isWritable in
        guard let owner else { return }
        let connection = Unmanaged<Connection>.fromOpaque(owner).takeUnretainedValue()
        if isReadable != 0 { connection.readable() }
        if isWritable != 0 { connection.writable() }
      })
    guard let loop = musubi_loop_create(&handlers) else {
      throw .cannotStart("the system gives no epoll instance")
    }
    raw = loop
    self.box = box
    self.delegate = delegate
  }

  private let box: DelegateBox

  deinit { musubi_loop_destroy(raw) }

  /// Handles events until `stop`.
  func run() { musubi_loop_run(raw) }

  /// Makes `run` return at the end of the turn.
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

/// Gives the C callbacks one machine word that leads to the delegate.
private final class DelegateBox {
  private unowned let target: any LibevLoopDelegate

  init(_ target: any LibevLoopDelegate) { self.target = target }

  static func delegate(_ owner: UnsafeMutableRawPointer?) -> (any LibevLoopDelegate)? {
    owner.map { Unmanaged<DelegateBox>.fromOpaque($0).takeUnretainedValue().target }
  }
}
