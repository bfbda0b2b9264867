// SPDX-License-Identifier: Apache-2.0
import Musubi
import MusubiServer
import Synchronization
import Testing

@testable import MusubiAccounts

@Suite(.eachStore, .timeLimit(.minutes(5))) struct `A link` {
  @Test func `makes an account, with the password that its page has chosen`() async throws {
    let test = try TestAccounts(sendsLinks: true)

    try await test.accounts.requestSignUp(
      address: "Ann@tea.example", displayName: " Ann ", from: "::1", language: "ja")
    await test.accounts.desk.settle()
    #expect(try await test.accounts.account(address: "ann@tea.example") == nil)
    let login = try await test.accounts.choosePassword(
      token: test.sent.token, password: TestAccounts.password, from: "::1")

    let message = try #require(test.sent.messages.first)
    #expect(test.sent.messages.count == 1)
    #expect(message.address == "ann@tea.example")
    #expect(message.link.purpose == .confirmSignUp)
    #expect(message.link.language == "ja")
    #expect("\(message.link)".hasPrefix("https://tea.example/link?token="))
    #expect(login.account.displayName == "Ann")
    #expect(try await test.loggedIn([login, test.logInAnn()]) == [true, true])
  }

  @Test func `says to the address alone that it has an account`() async throws {
    let test = try TestAccounts(sendsLinks: true)
    try await test.addAnn()
    let hashes = test.accounts.desk.hasher.count

    try await test.accounts.requestSignUp(address: "ann@tea.example", displayName: "Eve", from: "::1")
    try await test.accounts.requestSignUp(address: "eve@tea.example", displayName: "Eve", from: "::1")
    await test.accounts.desk.settle()

    let messages = test.sent.messages.sorted { $0.address < $1.address }
    #expect(messages.map(\.link.purpose) == [.alreadySignedUp, .confirmSignUp])
    #expect(messages.first?.link.url == "https://tea.example/login")
    #expect(test.accounts.desk.hasher.count == hashes)
  }

  @Test func `for a forgotten password comes though others sign up with the address again and again`()
    async throws
  {
    let test = try TestAccounts(sendsLinks: true)
    try await test.addAnn()
    for _ in 1...9 {
      try await test.accounts.requestSignUp(address: "ann@tea.example", displayName: "Eve", from: "192.0.2.7")
    }

    try await test.accounts.requestPassword(address: "ann@tea.example", from: "::1")
    await test.accounts.desk.settle()

    let purposes = test.sent.messages.map(\.link.purpose)
    #expect(purposes.count { $0 == .alreadySignedUp } == 3)
    #expect(purposes.last == .choosePassword)
  }

  @Test func `for a forgotten password goes to addresses with an account; the answer is the same`()
    async throws
  {
    let test = try TestAccounts(sendsLinks: true)
    try await test.addAnn()
    let there = try await test.logInAnn()

    try await test.accounts.requestPassword(address: "nobody@tea.example", from: "::1")
    try await test.accounts.requestPassword(address: "ann@tea.example", from: "::1")
    await test.accounts.desk.settle()
    let here = try await test.accounts.choosePassword(
      token: test.sent.token, password: "rice and tea", from: "::1")

    #expect(test.sent.messages.map(\.address) == ["ann@tea.example"])
    #expect(here.account.roles == ["host"])
    #expect(try await test.loggedIn([there, here]) == [false, true])
    await #expect(throws: AccountProblem.credentialsWrong) { try await test.logInAnn() }
    _ = try await test.logInAnn("rice and tea")
  }

  @Test func `takes no password that is the name of the account`() async throws {
    let test = try TestAccounts(sendsLinks: true)
    try await test.accounts.add(
      address: "lee@tea.example", displayName: "Annabel Lee", password: TestAccounts.password)
    try await test.accounts.requestPassword(address: "lee@tea.example", from: "::1")
    await test.accounts.desk.settle()

    await #expect(throws: AccountProblem.self) {
      try await test.accounts.choosePassword(token: test.sent.token, password: "Annabel Lee", from: "::1")
    }
    _ = try await test.accounts.choosePassword(
      token: test.sent.token, password: "rice and tea", from: "::1")
  }

  @Test func `is used once, and looking at it is no use`() async throws {
    let test = try TestAccounts(sendsLinks: true)
    try await test.addAnn()
    try await test.accounts.requestPassword(address: "ann@tea.example", from: "::1")
    await test.accounts.desk.settle()
    let token = test.sent.token

    for _ in 1...3 { #expect(try await test.accounts.link(token: token)?.purpose == .reset) }
    await #expect(throws: AccountProblem.passwordTooShort(8)) {
      try await test.accounts.choosePassword(token: token, password: "tea", from: "::1")
    }
    _ = try await test.accounts.choosePassword(token: token, password: "rice and tea", from: "::1")

    #expect(try await test.accounts.link(token: token) == nil)
    await #expect(throws: AccountProblem.linkInvalid) {
      try await test.accounts.choosePassword(token: token, password: "tea and tea", from: "::1")
    }
  }

  @Test func `ends after an hour, with a newer password, and with another address`() async throws {
    let test = try TestAccounts(sendsLinks: true)
    let ann = try await test.addAnn()
    func requested() async throws -> String? {
      try await test.accounts.requestPassword(address: "ann@tea.example", from: "::1")
      await test.accounts.desk.settle()
      return test.sent.token
    }

    let old = try await requested()
    test.clock.advance(by: .seconds(3_600))
    #expect(try await test.accounts.link(token: old) == nil)

    let replaced = try await requested()
    let login = try await test.logInAnn()
    _ = try await test.accounts.changePassword(
      token: login.token, from: TestAccounts.password, to: "rice and tea", peer: "::1")
    #expect(try await test.accounts.link(token: replaced) == nil)

    test.clock.advance(by: .seconds(86_400))
    let moved = try await requested()
    #expect(try await test.accounts.link(token: moved) != nil)
    let stored = try #require(try await test.store.account(id: ann.id))
    #expect(try await test.store.setAddress("ann@rice.example", of: stored))
    #expect(try await test.accounts.link(token: moved) == nil)
  }

  @Test func `changes an address when its owner opens it`() async throws {
    let test = try TestAccounts(sendsLinks: true)
    try await test.addAnn()
    let login = try await test.logInAnn()

    try await test.accounts.changeAddress(
      token: login.token, password: TestAccounts.password, to: "ann@rice.example", peer: "::1")
    await test.accounts.desk.settle()
    #expect(try await test.accounts.account(token: login.token)?.address == "ann@tea.example")
    await #expect(throws: AccountProblem.linkInvalid) {
      try await test.accounts.choosePassword(token: test.sent.token, password: "rice and tea", from: "::1")
    }
    let account = try await test.accounts.confirmAddress(token: test.sent.token)

    #expect(test.sent.messages.map(\.address) == ["ann@rice.example"])
    #expect(account.address == "ann@rice.example")
    #expect(try await test.accounts.account(token: login.token) == account)
    await #expect(throws: AccountProblem.linkInvalid) {
      try await test.accounts.confirmAddress(token: test.sent.token)
    }
  }

  @Test func `of two for one address makes one account`() async throws {
    let test = try TestAccounts(sendsLinks: true)
    var tokens: [String?] = []
    for name in ["Ann", "Eve"] {
      try await test.accounts.requestSignUp(address: "ann@tea.example", displayName: name, from: "::1")
      await test.accounts.desk.settle()
      tokens.append(test.sent.token)
    }

    let login = try await test.accounts.choosePassword(
      token: tokens[0], password: TestAccounts.password, from: "::1")

    #expect(login.account.displayName == "Ann")
    await #expect(throws: AccountProblem.linkInvalid) {
      try await test.accounts.choosePassword(token: tokens[1], password: "rice and tea", from: "::1")
    }
  }

  @Test func `is sent to one address three times, then seldom, and nobody can tell`() async throws {
    let test = try TestAccounts(sendsLinks: true)
    try await test.addAnn()

    for number in 1...10 {
      try await test.accounts.requestPassword(address: "ann@tea.example", from: "192.0.2.\(number)")
      await test.accounts.desk.settle()
    }
    #expect(test.sent.messages.count == 3)
    test.clock.advance(by: .seconds(60))
    try await test.accounts.requestPassword(address: "ann@tea.example", from: "::1")
    await test.accounts.desk.settle()

    #expect(test.sent.messages.count == 4)
  }

  @Test func `that cannot be sent is told to nobody but the log`() async throws {
    struct Unreachable: Error {}
    var test = try TestAccounts()
    test.accounts.sendLink(base: "https://tea.example") { _, _ in throw Unreachable() }

    try await test.accounts.requestSignUp(address: "ann@tea.example", displayName: "Ann", from: "::1")
    await test.accounts.desk.settle()
  }

  @Test func `that cannot be sent is told of once a second, with a count`() throws {
    struct Unreachable: Error {}
    let test = try TestAccounts()
    let lines = Mutex<[String]>([])
    let application = Application()
    let logger = Logger { line in lines.withLock { $0.append(line) } }
    test.accounts.desk.attach(application.visitors, logger)

    for _ in 0..<100 { test.accounts.desk.note("mail not sent", Unreachable()) }
    test.clock.advance(by: .seconds(1))
    test.accounts.desk.note("mail not sent", Unreachable())

    let told = lines.withLock { $0.map { $0.split(separator: " ").dropFirst().joined(separator: " ") } }
    #expect(
      told == [
        "error mail not sent reason=Unreachable() count=1",
        "error mail not sent reason=Unreachable() count=100",
      ])
  }

  @Test func `is no more than one of a hundred on their way`() async throws {
    var test = try TestAccounts()
    let (gate, opener) = AsyncStream.makeStream(of: Void.self)
    test.accounts.sendLink(base: "https://tea.example") { _, _ in for await _ in gate {} }
    for number in 1...100 {
      try await test.accounts.requestSignUp(
        address: "a\(number)@tea.example", displayName: "A", from: "192.0.2.\(number)")
    }

    await #expect(throws: AccountProblem.busy) {
      try await test.accounts.requestSignUp(address: "a@tea.example", displayName: "A", from: "::1")
    }
    opener.finish()
    await test.accounts.desk.settle()
  }
}

@Suite(.eachStore, .timeLimit(.minutes(5))) struct `Signing up without links` {
  @Test func `makes an account and logs in; an address is taken once`() async throws {
    let test = try TestAccounts()

    let login = try await test.accounts.signUp(
      address: "ann@tea.example", displayName: "Ann", password: TestAccounts.password, from: "::1")

    #expect(try await test.loggedIn([login]) == [true])
    #expect(login.account.roles == [])
    await #expect(throws: AccountProblem.addressTaken) {
      try await test.accounts.signUp(
        address: "ANN@tea.example", displayName: "Eve", password: "rice and tea", from: "::1")
    }
  }

  @Test(
    arguments: [
      ("ann", "Ann", "tea and rice", AccountProblem.addressInvalid),
      ("ann@tea.example", "  ", "tea and rice", .nameInvalid),
      ("ann@tea.example", "Ann\u{202E}", "tea and rice", .nameInvalid),
      ("ann@tea.example", String(repeating: "n", count: 61), "tea and rice", .nameInvalid),
      ("ann@tea.example", "Ann", "tea", .passwordTooShort(8)),
      ("ann@tea.example", "Ann", "ann@tea.example", .passwordCommon),
    ])
  func `says what is wrong, before any work`(
    address: String, name: String, password: String, problem: AccountProblem
  ) async throws {
    let test = try TestAccounts()

    await #expect(throws: problem) {
      try await test.accounts.signUp(address: address, displayName: name, password: password, from: "::1")
    }

    #expect(test.accounts.desk.hasher.count == 0)
  }

  @Test func `is slowed down for one network address`() async throws {
    let test = try TestAccounts()
    var last: (any Error)?

    for number in 1...21 {
      do {
        _ = try await test.accounts.signUp(
          address: "a\(number)@tea.example", displayName: "A", password: TestAccounts.password,
          from: "192.0.2.1")
      } catch { last = error }
    }

    #expect(last as? AccountProblem == .tooMany(seconds: 2))
  }
}
