// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc

/// Turns signals of the system into calls of a closure on a thread of its own.
///
/// One at a time in a process. Make it before the server starts, so that no signal is missed.
package final class SignalWatcher: Sendable {
  /// The signals that ask a server to end.
  package static let endingSignals = [SIGTERM, SIGINT]
  /// The signal that asks a server to read its certificate again.
  package static let reloadingSignal = SIGHUP

  /// Starts to watch.
  ///
  /// - Parameters:
  ///   - signals: Their numbers, at most 8.
  ///   - onSignal: Called for each arrival with the signal's number.
  /// - Throws: `ServerError` if another watcher is at work or the system gives no pipe.
  package init(
    _ signals: [Int32] = endingSignals, onSignal: @escaping @Sendable (Int32) -> Void
  ) throws(ServerError) {
    let pipe = musubi_signals_watch(signals, signals.count)
    guard pipe >= 0 else { throw .cannotStart("its signals are watched already") }
    var thread = pthread_t()
    // Released by `readSignals`, which the thread starts with.
    let word = Unmanaged.passRetained(SignalReader(pipe: pipe, onSignal: onSignal)).toOpaque()
    guard pthread_create(&thread, nil, readSignals, word) == 0 else {
      Unmanaged<SignalReader>.fromOpaque(word).release()
      musubi_signals_unwatch()
      throw .cannotStart("the system gives no thread")
    }
    pthread_detach(thread)
  }

  deinit { musubi_signals_unwatch() }
}

/// What the watching thread needs.
private final class SignalReader {
  let pipe: Int32
  let onSignal: @Sendable (Int32) -> Void

  init(pipe: Int32, onSignal: @escaping @Sendable (Int32) -> Void) {
    self.pipe = pipe
    self.onSignal = onSignal
  }

  deinit { close(pipe) }
}

/// The thread's first function; free and nonisolated, because the system calls it on a thread of its own.
private nonisolated func readSignals(_ word: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let word else { return nil }
  let reader = Unmanaged<SignalReader>.fromOpaque(word).takeRetainedValue()
  var number: UInt8 = 0
  while true {
    let count = read(reader.pipe, &number, 1)
    if count == 1 {
      reader.onSignal(Int32(number))
    } else if count == 0 || errno != EINTR {
      return nil
    }
  }
}
