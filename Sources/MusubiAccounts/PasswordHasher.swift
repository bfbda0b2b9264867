// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// Hashes passwords off the loops, few at once and a bounded number in line.
///
/// Each hash takes 64 MiB; so the memory is bounded by how many run, and the wait by how many are in line.
final class PasswordHasher: Sendable {
  let cost: HashCost
  private let maxRunning: Int
  private let maxWaiting: Int
  private let state = Mutex(State())
  private let threads: DispatchQueue

  private struct State {
    var running = 0
    var waiting: [@Sendable () -> Void] = []
    var count = 0
    /// The hash of no account's password, which unknown accounts are compared with.
    var decoy: String?
  }

  /// A hasher.
  ///
  /// - Parameters:
  ///   - cost: What a hash costs.
  ///   - maxRunning: How many are made at once.
  ///   - maxWaiting: How many wait in line.
  ///   - threads: Where they are made.
  init(
    cost: HashCost = .standard, maxRunning: Int = 2, maxWaiting: Int = 64,
    threads: DispatchQueue = DispatchQueue(label: "musubi.passwords", attributes: .concurrent)
  ) {
    self.cost = cost
    self.maxRunning = maxRunning
    self.maxWaiting = maxWaiting
    self.threads = threads
  }

  /// How many hashes were made or compared so far.
  var count: Int { state.withLock { $0.count } }

  /// The hash of a password.
  ///
  /// - Parameter password: The prepared password.
  /// - Returns: The hash as text.
  /// - Throws: `AccountProblem.busy` if too many wait, or there is no memory.
  func hash(_ password: String) async throws -> String {
    let cost = cost
    guard let hash = try await run({ PasswordHash.make(password, cost: cost) }) else {
      throw AccountProblem.busy
    }
    return hash
  }

  /// Whether a password is that of a hash; without one it works as long, and the answer is no.
  ///
  /// - Parameters:
  ///   - password: The password as it was typed.
  ///   - hash: The account's hash; nil if there is no such account.
  /// - Returns: Whether they belong together.
  /// - Throws: `AccountProblem.busy`.
  func verify(_ password: String, _ hash: String?) async throws -> Bool {
    let prepared = PasswordRules.prepared(password)
    let compared = if let hash { hash } else { try await decoy() }
    let isRight = try await run { PasswordHash.verifies(compared, prepared ?? "") }
    return isRight && hash != nil && prepared != nil
  }

  /// Makes the decoy, so that the first unknown account costs no more than the next one; else that one makes it.
  func prepare() {
    Task.detached { [self] in _ = try await decoy() }
  }

  private func decoy() async throws -> String {
    if let decoy = state.withLock({ $0.decoy }) { return decoy }
    let made = try await hash(Token().text)
    state.withLock { $0.decoy = made }
    return made
  }

  private func run<Output: Sendable>(_ work: @escaping @Sendable () -> Output) async throws -> Output {
    try await withCheckedThrowingContinuation { continuation in
      let isTaken = state.withLock { state in
        guard state.running < maxRunning || state.waiting.count < maxWaiting else { return false }
        state.count += 1
        state.waiting.append { continuation.resume(returning: work()) }
        return true
      }
      guard isTaken else { return continuation.resume(throwing: AccountProblem.busy) }
      startNext()
    }
  }

  private func startNext() {
    let next: (@Sendable () -> Void)? = state.withLock { state in
      guard state.running < maxRunning, !state.waiting.isEmpty else { return nil }
      state.running += 1
      return state.waiting.removeFirst()
    }
    guard let next else { return }
    threads.async { [self] in
      next()
      state.withLock { $0.running -= 1 }
      startNext()
    }
  }
}
