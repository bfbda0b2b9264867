// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi
import MusubiServer
import MusubiSession
import Synchronization

/// The common part of all copies of `Accounts`: the store, the hashes, the attempts, and the messages that are on their way.
final class AccountDesk: Sendable {
  /// The most messages that are on their way at once.
  static let maxMessages = 100

  let store: any AccountStore
  let hasher: PasswordHasher
  let clock: AccountClock
  private let told = Refusals()
  private let state = Mutex(State())

  private struct State {
    var visitors: Visitors?
    var logger = Logger()
    var messages: [UInt64: Task<Void, Never>] = [:]
    var nextMessage: UInt64 = 0
  }

  init(store: any AccountStore, hasher: PasswordHasher, clock: AccountClock) {
    self.store = store
    self.hasher = hasher
    self.clock = clock
  }

  /// Joins the visitors of a server, whose pages end with their log-ins.
  func attach(_ visitors: Visitors, _ logger: Logger) {
    state.withLock { ($0.visitors, $0.logger) = (visitors, logger) }
  }

  /// Ends the open pages of an account, or of one log-in; those that a route ends, when its response was sent.
  ///
  /// The browser's other tabs come back when they are told: with its new cookie, and not to a log-in.
  func endSessions(of id: String, logIn: StoredLogin? = nil) async {
    guard let visitors = state.withLock({ $0.visitors }) else { return }
    await RouteRun.afterwards { await visitors.endSessions(of: id, logIn: logIn?.name) }
  }

  /// Counts an attempt.
  ///
  /// - Throws: `AccountProblem.tooMany`, or the store's error.
  func admit(_ keys: [AttemptKey]) async throws {
    if let seconds = try await store.attempts.admit(keys, at: clock) {
      throw AccountProblem.tooMany(seconds: seconds)
    }
  }

  /// Gives an attempt back that was a success; if the store fails, it counts on.
  func giveBack(_ keys: [AttemptKey]) async {
    do { try await store.attempts.giveBack(keys) } catch { note("attempt not given back", error) }
  }

  /// Forgets the wrong passwords of an address.
  func forgetPasswords(of address: String) async {
    do { try await store.attempts.forget(.password(address)) } catch { note("attempt not given back", error) }
  }

  /// Does something after the answer, so that nobody can tell by the time how much it was.
  ///
  /// - Parameter work: What is done; its error goes to the log.
  /// - Throws: `AccountProblem.busy` if too much is to be done already.
  func later(_ work: @escaping @Sendable () async throws -> Void) throws {
    try state.withLock { state in
      guard state.messages.count < Self.maxMessages else { throw AccountProblem.busy }
      let number = state.nextMessage
      state.nextMessage += 1
      state.messages[number] = Task.detached { [self] in
        do { try await work() } catch { note("mail not sent", error) }
        self.state.withLock { $0.messages[number] = nil }
      }
    }
  }

  /// Tells the operator what failed; once a second, with a count, since visitors can bring it about as often as they want.
  func note(_ event: String, _ error: any Error) {
    guard let count = told.tell(event, of: "", at: clock.now()) else { return }
    state.withLock({ $0.logger }).log(.error, event, ["reason": "\(error)", "count": "\(count)"])
  }

  /// Waits for all that is done after answers.
  func settle() async {
    for message in state.withLock({ Array($0.messages.values) }) { await message.value }
  }
}

/// The clocks of accounts.
package struct AccountClock: Sendable {
  /// The time of attempts, which never goes back.
  var now: @Sendable () -> Duration
  /// The time of log-ins and links, in seconds since 1970.
  var date: @Sendable () -> Double

  /// The machine's.
  static var system: AccountClock {
    let start = ContinuousClock.now
    return AccountClock(now: { ContinuousClock.now - start }, date: { Date().timeIntervalSince1970 })
  }
}
