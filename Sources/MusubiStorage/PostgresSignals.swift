// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// What a store's thread and everybody else tell each other.
final class PostgresSignals: Sendable {
  private struct State {
    var isClosing = false
    var isAway = false
    var loss: StorageError?
  }

  private let state = Mutex(State())
  private let ending = DispatchSemaphore(value: 0)
  private let report: @Sendable (PostgresStoreEvent) -> Void

  init(_ report: @escaping @Sendable (PostgresStoreEvent) -> Void) { self.report = report }

  var isClosing: Bool { state.withLock { $0.isClosing } }
  var isAway: Bool { state.withLock { $0.isAway } }
  /// Why nothing can be stored any more; nil if it can.
  var loss: StorageError? { state.withLock { $0.loss } }

  /// The store is to end: no pause is long any more.
  func close() {
    state.withLock { $0.isClosing = true }
    ending.signal()
  }

  /// Nothing can be stored any more; the first sentence is told.
  func lose(_ sentence: String) {
    let isFirst = state.withLock { state in
      defer { state.loss = state.loss ?? StorageError(sentence) }
      return state.loss == nil
    }
    guard isFirst else { return }
    report(.lost(sentence))
    ending.signal()
  }

  /// Waits, unless the store ends.
  func pause(_ seconds: Double) { _ = ending.wait(timeout: .now() + seconds) }

  /// Notes that the server cannot be reached, or can.
  func tell(away message: String?) {
    let wasAway = state.withLock { state in
      defer { state.isAway = message != nil }
      return state.isAway
    }
    if let message {
      if !wasAway { report(.away(message)) }
    } else if wasAway {
      report(.back)
    }
  }
}
