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
    guard startThread({ readSignals(pipe, onSignal) }) else {
      close(pipe)
      musubi_signals_unwatch()
      throw .cannotStart("the system gives no thread")
    }
  }

  deinit { musubi_signals_unwatch() }
}

/// Tells of each signal until the pipe's other end is closed.
private func readSignals(_ pipe: Int32, _ onSignal: (Int32) -> Void) {
  defer { close(pipe) }
  var number: UInt8 = 0
  while true {
    let count = read(pipe, &number, 1)
    if count == 1 {
      onSignal(Int32(number))
    } else if count == 0 || errno != EINTR {
      return
    }
  }
}
