// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Writes that nobody waits for: made soon, one after the other, and again while the database is away.
///
/// Of a key the newest value alone counts. May be used from everywhere; only `settle` waits. When the object goes, what still
/// waits is tried once, until one fails.
///
/// ```swift
/// let visits = LateWrites<String, Int>("visits", pause: .milliseconds(200), report: { print($0) }) { pet, count in
///   try await tables.write { try $0.run("UPDATE pet SET visits = $1 WHERE name = $2", count, pet) }
/// }
/// visits.put(3, for: "Tama")
/// ```
package final class LateWrites<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let queue: WriteQueue<Key, Value>

  /// No writes.
  ///
  /// - Parameters:
  ///   - name: What is written, for reports.
  ///   - limit: The most keys that wait, at least 1; beyond them the oldest is given up.
  ///   - pause: How long a key waits, at least, until it is written again.
  ///   - retryPause: How long a writing waits that is tried again.
  ///   - isTemporary: Whether a failure passes although the database is there. Such a writing is reported, and tried again.
  ///   - sleep: Waits, until it is cancelled at the latest; a test has no time.
  ///   - report: Is told once why writings fail, until one succeeds or another reason comes; not that the database is away.
  ///   - write: Writes one value. It may run a second time.
  package init(
    _ name: String, limit: Int = 10_000, pause: Duration, retryPause: Duration = .milliseconds(500),
    isTemporary: @escaping @Sendable (any Error) -> Bool = { _ in false },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    report: @escaping @Sendable (String) -> Void,
    write: @escaping @Sendable (Key, Value) async throws -> Void
  ) {
    queue = WriteQueue(
      name: name, limit: max(1, limit), pause: pause, retryPause: retryPause, isTemporary: isTemporary,
      sleep: sleep, report: report, write: write)
  }

  deinit { queue.end() }

  /// Why the newest writing failed; nil if it succeeded.
  package var failure: (any Error)? { queue.failure }

  /// Has a value written soon.
  package func put(_ value: Value, for key: Key) { queue.put(value, for: key) }

  /// What is to be written of a key; nil once it is written.
  package func value(of key: Key) -> Value? { queue.value(of: key) }

  /// How many of the waiting writes are such ones.
  package func count(where isCounted: (Key, Value) -> Bool) -> Int { queue.count(where: isCounted) }

  /// Waits until nothing is to be written any more; for tests.
  package func settle() async { await queue.settle() }
}

/// What the task of `LateWrites` holds, which does not keep its owner.
private final class WriteQueue<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct State {
    /// The keys of `values`, the oldest first.
    var keys: [Key] = []
    var values: [Key: Value] = [:]
    var current: (key: Key, value: Value)?
    /// There from the first value until the pause behind the last one.
    var task: Task<Void, Never>?
    var settling: [CheckedContinuation<Void, Never>] = []
    var failure: (any Error)?
    var hasToldLimit = false

    var isSettled: Bool { keys.isEmpty && current == nil }
  }

  private let name: String
  private let limit: Int
  private let (pause, retryPause): (Duration, Duration)
  private let isTemporary: @Sendable (any Error) -> Bool
  private let sleep: @Sendable (Duration) async throws -> Void
  private let report: @Sendable (String) -> Void
  private let write: @Sendable (Key, Value) async throws -> Void
  private let state = Mutex(State())

  init(
    name: String, limit: Int, pause: Duration, retryPause: Duration,
    isTemporary: @escaping @Sendable (any Error) -> Bool,
    sleep: @escaping @Sendable (Duration) async throws -> Void,
    report: @escaping @Sendable (String) -> Void,
    write: @escaping @Sendable (Key, Value) async throws -> Void
  ) {
    self.sleep = sleep
    (self.name, self.limit, self.pause, self.retryPause) = (name, limit, pause, retryPause)
    (self.isTemporary, self.report, self.write) = (isTemporary, report, write)
  }

  var failure: (any Error)? { state.withLock(\.failure) }

  func end() { state.withLock(\.task)?.cancel() }

  func put(_ value: Value, for key: Key) {
    let isTooMany = state.withLock { state in
      if state.values.updateValue(value, forKey: key) == nil { state.keys.append(key) }
      state.task = state.task ?? Task.detached { await self.run() }
      guard state.keys.count > limit else { return false }
      state.values[state.keys.removeFirst()] = nil
      defer { state.hasToldLimit = true }
      return !state.hasToldLimit
    }
    if isTooMany { report("\(name): more than \(limit) wait to be written; the oldest are given up") }
  }

  func value(of key: Key) -> Value? {
    state.withLock { $0.values[key] ?? ($0.current?.key == key ? $0.current?.value : nil) }
  }

  func count(where isCounted: (Key, Value) -> Bool) -> Int {
    state.withLock { $0.values.count { isCounted($0.key, $0.value) } }
  }

  func settle() async {
    await withCheckedContinuation { continuation in
      let isSettled = state.withLock { state in
        if !state.isSettled { state.settling.append(continuation) }
        return state.isSettled
      }
      if isSettled { continuation.resume() }
    }
  }

  /// Writes in rounds, with a pause behind each; in a round each key that waits is written once.
  private func run() async {
    while let count = begin() {
      for _ in 0..<count {
        guard let (key, value) = next() else { break }
        do {
          try await write(key, value)
          done()
        } catch {
          if fail(error, key, value) { await wait(for: retryPause) }
        }
      }
      await wait(for: pause)
    }
  }

  /// Begins a round.
  ///
  /// - Returns: How many wait; nil if none does, and then the task ends.
  private func begin() -> Int? {
    state.withLock { state in
      guard state.keys.isEmpty else { return state.keys.count }
      state.task = nil
      return nil
    }
  }

  private func next() -> (key: Key, value: Value)? {
    state.withLock { state in
      guard let key = state.keys.first, let value = state.values.removeValue(forKey: key) else { return nil }
      state.keys.removeFirst()
      state.current = (key, value)
      return state.current
    }
  }

  private func done() {
    let settled = state.withLock { state in
      (state.failure, state.hasToldLimit) = (nil, false)
      return Self.endCurrent(&state)
    }
    settled.forEach { $0.resume() }
  }

  /// Puts a value that was not written back, or gives it up.
  ///
  /// - Returns: Whether it is tried again.
  private func fail(_ error: any Error, _ key: Key, _ value: Value) -> Bool {
    let (isAway, isOwned) = (GalleryTables.isAway(error), !Task.isCancelled)
    let isTriedAgain = isOwned && (isAway || isTemporary(error))
    let (isNew, settled) = state.withLock { state in
      let isNew = state.failure.map { "\($0)" } != "\(error)"
      state.failure = error
      if !isOwned { (state.keys, state.values) = ([], [:]) }
      if isTriedAgain, state.values[key] == nil {
        // What finds no space must not keep others from making some.
        state.keys.insert(key, at: isAway ? 0 : state.keys.count)
        state.values[key] = value
      }
      return (isNew, Self.endCurrent(&state))
    }
    if isNew, !isAway || !isOwned {
      report("\(name): not written, and \(isTriedAgain ? "tried again" : "given up"): \(error)")
    }
    settled.forEach { $0.resume() }
    return isTriedAgain
  }

  /// Ends the writing under way.
  ///
  /// - Returns: Who has waited for that.
  private static func endCurrent(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
    state.current = nil
    guard state.isSettled else { return [] }
    defer { state.settling = [] }
    return state.settling
  }

  private func wait(for pause: Duration) async {
    do { try await sleep(pause) } catch {
      // The owner has gone: what waits is tried at once.
    }
  }
}
