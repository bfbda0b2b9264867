// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Musubi
import MusubiPostgres
import PostgresServers
import Testing

@testable import MusubiAccounts

/// What happens while a password is compared, which takes some tenths of a second.
@Suite(.eachStore, .timeLimit(.minutes(5))) struct `While a password is compared` {
  /// What changes an account.
  enum Change: CaseIterable, Sendable { case changePassword, redeem, remove }

  @Test(arguments: Change.allCases)
  func `a change of the account keeps the old password from logging in`(change: Change) async throws {
    let test = try TestAccounts()
    let ann = try await test.addAnn()
    let other = try test.copy(of: ann)
    let new = PasswordHash.make("rice and tea", cost: .cheap)

    let problem = try await test.whilePaused({ try await test.logInAnn() }) {
      let stored = try #require(try await test.store.account(id: ann.id))
      let login = test.accounts.newLogin(Token(), of: ann.id)
      switch change {
      case .changePassword:
        #expect(try await test.store.setPassword(try #require(new), replacing: stored.hash, login: login))
      case .redeem:
        let token = Token()
        let link = StoredLink(
          token: token.hash, purpose: .reset, account: ann.id, address: ann.address, expires: login.expires)
        #expect(try await test.store.add(link, of: stored, at: login.used))
        let made = StoredAccount(account: other, hash: try #require(new))
        #expect(
          try await test.store.redeem(token.hash, at: login.used, making: made, login: login) != nil)
      case .remove: try await test.store.remove(id: ann.id)
      }
    }

    #expect(problem == .credentialsWrong)
    guard change != .remove else { return }
    _ = try await test.logInAnn("rice and tea")
  }

  @Test func `two log-ins that renew the hash both succeed`() async throws {
    let test = try TestAccounts()
    try await test.addAnn()
    let dearer = Accounts(
      store: test.store,
      hasher: PasswordHasher(
        cost: HashCost(passes: 2, memory: 16_384), maxRunning: 1, threads: test.threads),
      clock: test.clock.clock)
    func logIn() async throws -> AccountProblem? {
      try await refusal {
        try await dearer.logIn(address: "ann@tea.example", password: TestAccounts.password, from: "::1")
      }
    }

    test.threads.suspend()
    async let one = logIn()
    async let two = logIn()
    // Both have read the hash before either renews it.
    while dearer.desk.hasher.count < 2 { try await Task.sleep(for: .milliseconds(1)) }
    test.threads.resume()

    #expect(try await [one, two] == [nil, nil])
  }

  @Test(arguments: [false, true])
  func `a new password keeps the old one from changing the address`(sendsLinks: Bool) async throws {
    let test = try TestAccounts(sendsLinks: sendsLinks)
    let ann = try await test.addAnn()
    let login = try await test.logInAnn()

    let problem = try await test.whilePaused({
      try await test.accounts.changeAddress(
        token: login.token, password: TestAccounts.password, to: "eve@tea.example", peer: "::1")
    }) {
      let (stored, new) = (
        try #require(try await test.store.account(id: ann.id)),
        try #require(PasswordHash.make("rice and tea", cost: .cheap))
      )
      let begun = test.accounts.newLogin(Token(), of: ann.id)
      #expect(try await test.store.setPassword(new, replacing: stored.hash, login: begun))
    }
    await test.accounts.desk.settle()

    // With links the answer never tells more than that one may be on its way.
    #expect(problem == (sendsLinks ? nil : .credentialsWrong))
    #expect(test.sent.messages.isEmpty)
    #expect(try await test.accounts.account(id: ann.id)?.address == "ann@tea.example")
  }

  @Test func `a link to an address that the account had just now is none`() async throws {
    let test = try TestAccounts()
    let ann = try await test.addAnn()
    let before = try #require(try await test.store.account(id: ann.id))
    let link = StoredLink(
      token: Token().hash, purpose: .reset, account: ann.id, address: ann.address, expires: 2_000_000)

    #expect(try await test.store.setAddress("ann@rice.example", of: before))

    #expect(try await test.store.add(link, of: before, at: 1_000_000) == false)
    #expect(try await test.store.link(link.token, at: 1_000_000) == nil)
  }
}

extension TestAccounts {
  /// Has something happen while a password is compared.
  ///
  /// - Parameters:
  ///   - work: What compares one.
  ///   - change: What happens meanwhile.
  /// - Returns: Why the work was refused; nil if it was done.
  /// - Throws: What either throws.
  fileprivate func whilePaused(
    _ work: @escaping @Sendable () async throws -> some Sendable, _ change: () async throws -> Void
  ) async throws -> AccountProblem? {
    let count = accounts.desk.hasher.count
    threads.suspend()
    let task = Task { try await refusal(of: work) }
    while accounts.desk.hasher.count == count { try await Task.sleep(for: .milliseconds(1)) }
    do { try await change() } catch {
      threads.resume()
      throw error
    }
    threads.resume()
    return try await task.value
  }

  /// An account that only a link that makes one would make.
  fileprivate func copy(of account: Account) throws -> Account {
    Account(id: Token.random(16), address: account.address, displayName: "", roles: [], created: 0)
  }
}

@Suite(.timeLimit(.minutes(5))) struct `Accounts at two servers` {
  /// Two servers with one database; nil if no PostgreSQL is installed.
  private let servers: (url: String, first: Accounts, second: Accounts, clock: TestClock)?

  init() throws {
    guard let server = PostgresServer.shared else {
      servers = nil
      return
    }
    let (url, clock) = (try server.newDatabase(), TestClock())
    func accounts() throws -> Accounts {
      Accounts(
        store: try TableAccountStore(postgres: url), hasher: PasswordHasher(cost: .cheap), clock: clock.clock)
    }
    servers = (url, try accounts(), try accounts(), clock)
  }

  @Test func `are the same, and so are their log-ins and sign-outs`() async throws {
    guard let (_, first, second, _) = servers else { return }
    try await first.add(address: "ann@tea.example", displayName: "Ann", password: TestAccounts.password)

    let logIn = try await second.logIn(
      address: "ann@tea.example", password: TestAccounts.password, from: "192.0.2.1")
    #expect(try await first.account(token: logIn.token)?.displayName == "Ann")
    try await first.logOut(token: logIn.token)

    #expect(try await second.account(token: logIn.token) == nil)
  }

  @Test func `count wrong passwords together`() async throws {
    guard let (_, first, second, clock) = servers else { return }
    try await first.add(address: "ann@tea.example", displayName: "Ann", password: TestAccounts.password)
    func attempt(_ accounts: Accounts, _ password: String = "wrong", from peer: String) async throws
      -> AccountProblem?
    {
      try await refusal {
        try await accounts.logIn(address: "ann@tea.example", password: password, from: peer)
      }
    }
    for number in 1...5 {
      let problem = try await attempt(number.isMultiple(of: 2) ? first : second, from: "192.0.2.\(number)")
      #expect(problem == .credentialsWrong)
    }

    #expect(try await attempt(first, from: "192.0.2.6") == .tooMany(seconds: 2))
    #expect(try await attempt(second, TestAccounts.password, from: "192.0.2.7") == .tooMany(seconds: 2))
    clock.advance(by: .seconds(2))
    #expect(try await attempt(second, TestAccounts.password, from: "192.0.2.7") == nil)
    #expect(try await attempt(first, from: "192.0.2.8") == .credentialsWrong)
  }

  @Test func `let no more attempts through that come at once`() async throws {
    guard let (url, _, _, clock) = servers else { return }
    let stores = try (0..<4).map { _ in try TableAccountStore(postgres: url) }
    let (key, clocks) = (AttemptKey.password("ann@tea.example"), clock.clock)
    let admitted = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<80 {
        group.addTask { try await stores[number % 4].attempts.admit([key], at: clocks) == nil }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }

    #expect(admitted == 5)
  }

  @Test func `make one account of an address that both are asked for at once`() async throws {
    guard let (_, first, second, _) = servers else { return }
    let made = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<20 {
        group.addTask {
          let problem = try await refusal {
            try await (number.isMultiple(of: 2) ? first : second).signUp(
              address: "ann@tea.example", displayName: "Ann", password: TestAccounts.password,
              from: "192.0.2.\(number)")
          }
          return problem == nil
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }

    #expect(made == 1)
  }

  @Test func `go on when connections were lost`() async throws {
    guard let (url, first, _, _) = servers else { return }
    try await first.add(address: "ann@tea.example", displayName: "Ann", password: TestAccounts.password)
    let operatorsConnection = try PostgresConnection(PostgresConfiguration(url: url))
    let ended = try operatorsConnection.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'musubi_accounts'"
        + " AND datname = current_database()")
    #expect(ended.count >= 1)

    #expect(try await first.account(address: "ann@tea.example") != nil)
  }
}
