// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Musubi
import MusubiSQLite
import PostgresServers
import Synchronization
import Testing

@testable import MusubiAccounts

/// The stores that keep the same promises.
enum AccountStoreKind: CaseIterable {
  case sqlite, postgres

  /// Those that can be tested here; what is missing is told on standard error.
  static let installed = PostgresServer.shared == nil ? [.sqlite] : allCases
  /// The one of the running test.
  @TaskLocal static var current = Self.sqlite

  func newStore() throws -> any AccountStore {
    guard self == .postgres, let server = PostgresServer.shared else { return try TableAccountStore(.memory) }
    return try TableAccountStore(postgres: server.newDatabase())
  }
}

/// Runs each test of a suite with each store.
struct EachStore: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    for kind in AccountStoreKind.installed {
      try await AccountStoreKind.$current.withValue(kind) { try await function() }
    }
  }
}

extension Trait where Self == EachStore {
  static var eachStore: Self { Self() }
}

/// A clock that stands still until a test moves it.
final class TestClock: Sendable {
  private let time = Mutex(Duration.zero)

  var clock: AccountClock {
    AccountClock(
      now: { self.time.withLock { $0 } }, date: { 1_000_000 + self.time.withLock { $0 } / .seconds(1) })
  }

  func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

/// The messages that were sent.
final class SentLinks: Sendable {
  struct Message: Sendable {
    let address: String
    let link: AccountLink
  }

  private let list = Mutex<[Message]>([])
  private let told = Mutex<[(String, AccountNotice)]>([])

  /// The notices, each as its address, the new one and the language.
  var notices: [String] { told.withLock { $0.map { "\($0) \($1.newAddress) \($1.language)" } } }

  func send(_ address: String, _ notice: AccountNotice) { told.withLock { $0.append((address, notice)) } }

  var messages: [Message] { list.withLock { $0 } }

  func send(_ address: String, _ link: AccountLink) {
    list.withLock { $0.append(Message(address: address, link: link)) }
  }

  /// The token in the newest link.
  var token: String? { messages.last.flatMap { $0.link.url.split(separator: "=").last.map(String.init) } }
}

/// Accounts whose hashes cost next to nothing: in memory, or where `AccountStoreKind.current` says.
struct TestAccounts {
  let clock = TestClock()
  let sent = SentLinks()
  let store: any AccountStore
  var accounts: Accounts
  /// Where passwords are compared.
  let threads = DispatchQueue(label: "passwords of a test", attributes: .concurrent)
  static let password = "tea and rice"

  init(sendsLinks: Bool = false, sendsNotices: Bool = false, maxRunning: Int = 2, maxWaiting: Int = 64) throws
  {
    store = try AccountStoreKind.current.newStore()
    let hasher = PasswordHasher(
      cost: .cheap, maxRunning: maxRunning, maxWaiting: maxWaiting, threads: threads)
    accounts = Accounts(store: store, hasher: hasher, clock: clock.clock)
    if sendsNotices { accounts.sendNotice { [sent] address, notice in sent.send(address, notice) } }
    if sendsLinks {
      accounts.sendLink(base: "https://tea.example/") { [sent] address, link in sent.send(address, link) }
    }
  }

  /// An account of Ann's.
  @discardableResult
  func addAnn() async throws -> Account {
    try await accounts.add(
      address: "ann@tea.example", displayName: "Ann", password: Self.password, roles: ["host"])
  }

  func logInAnn(_ password: String = Self.password, from peer: String = "192.0.2.1") async throws -> LogIn {
    try await accounts.logIn(address: "ann@tea.example", password: password, from: peer)
  }
}

/// Why something is refused; nil if it is done.
func refusal(of work: () async throws -> some Sendable) async throws -> AccountProblem? {
  do { _ = try await work() } catch let problem as AccountProblem { return problem }
  return nil
}

extension HashCost {
  /// What tests can afford; Argon2id's least.
  static let cheap = HashCost(passes: 1, memory: 8_192)
}

/// A folder that is removed in the end.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "musubi-accounts-\(UUID())").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: path) } catch { print("\(path) stays: \(error)") }
  }
}
