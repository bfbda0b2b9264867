// SPDX-License-Identifier: Apache-2.0
import MusubiServer

/// What a process that serves is told, in the order in which it comes.
///
/// One at a time in a process. Make it before the server starts, so that no signal is missed.
struct ServeEvents {
  /// What it is told.
  enum Event: Sendable {
    /// SIGTERM or SIGINT.
    case end
    /// SIGHUP: there may be a new certificate.
    case reload
    /// The store belongs to another process now.
    case storeLost
    /// The process has waited as long as one does that follows others that have failed.
    case waited
  }

  /// Tells it something, on any thread.
  let tell: @Sendable (Event) -> Void
  private let watcher: SignalWatcher
  private var arrivals: AsyncStream<Event>.Iterator

  /// Begins to watch the signals.
  ///
  /// - Parameter reloads: Whether there is a certificate that may be read again.
  /// - Throws: `ServerError` if somebody else watches them, or the system gives no pipe.
  init(reloads: Bool) throws(ServerError) {
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    tell = { continuation.yield($0) }
    arrivals = events.makeAsyncIterator()
    watcher = try SignalWatcher(
      SignalWatcher.endingSignals + (reloads ? [SignalWatcher.reloadingSignal] : [])
    ) {
      continuation.yield($0 == SignalWatcher.reloadingSignal ? .reload : .end)
    }
  }

  /// Waits for what ends the process, or its waiting.
  ///
  /// - Parameters:
  ///   - isolation: Where the caller runs.
  ///   - reload: Called for each `.reload` meanwhile.
  /// - Returns: What has come.
  mutating func next(
    isolation: isolated (any Actor)? = #isolation, reload: () -> Void = {}
  ) async -> Event {
    while let event = await arrivals.next(isolation: isolation) {
      guard event == .reload else { return event }
      reload()
    }
    // The task was cancelled.
    return .end
  }
}
