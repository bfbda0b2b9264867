// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi
import MusubiSQLite
import Testing

@testable import MusubiAccounts

@Suite(.eachStore, .timeLimit(.minutes(5))) struct `Somebody with an account` {
  @Test func `logs in by address and password, and is a visitor from then on`() async throws {
    let test = try TestAccounts()
    let ann = try await test.addAnn()

    let login = try await test.accounts.logIn(
      address: "ANN@tea.example", password: TestAccounts.password, from: "192.0.2.1")
    let visitor = try await test.accounts.visitor(of: test.request(login.token))

    #expect(login.account == ann)
    #expect(visitor.id == ann.id)
    #expect(visitor.displayName == "Ann")
    #expect(visitor.roles == ["host"])
    #expect(visitor.validFor == .seconds(3_600))
  }

  @Test(arguments: [nil, "", "nonsense", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
  func `is nobody without the token of a login`(token: String?) async throws {
    let test = try TestAccounts()
    try await test.addAnn()
    _ = try await test.logInAnn()

    #expect(try await test.accounts.visitor(of: test.request(token)) == .anonymous)
  }

  @Test func `gets a new token at each login, which the store does not have`() async throws {
    let folder = try TemporaryFolder()
    let store = try TableAccountStore(.file(folder.path + "/accounts.sqlite"))
    let accounts = Accounts(store: store, hasher: PasswordHasher(cost: .cheap))
    try await accounts.add(address: "ann@tea.example", displayName: "Ann", password: TestAccounts.password)

    let one = try await accounts.logIn(
      address: "ann@tea.example", password: TestAccounts.password, from: "::1")
    let other = try await accounts.logIn(
      address: "ann@tea.example", password: TestAccounts.password, from: "::1")
    await store.close()

    #expect(one.token != other.token)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let path = folder.path + "/" + name
      let bytes = try Data(contentsOf: URL(filePath: path))
      for secret in [one.token, other.token, TestAccounts.password] {
        #expect(bytes.range(of: Data(secret.utf8)) == nil)
      }
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test func `has its account in the folder of the application's data, which is made for it`() async throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.dataFolder = folder.path + "/data"
    for _ in 0..<2 {
      let accounts = try Accounts(for: configuration)
      if try await accounts.account(address: "ann@tea.example") == nil {
        try await accounts.add(
          address: "ann@tea.example", displayName: "Ann", password: TestAccounts.password)
      } else {
        try await accounts.add(
          address: "bob@tea.example", displayName: "Bob", password: TestAccounts.password)
      }
    }

    let files = FileManager.default
    #expect(files.fileExists(atPath: folder.path + "/data/accounts.sqlite"))
    let mode = try files.attributesOfItem(atPath: folder.path + "/data")[.posixPermissions] as? Int
    #expect(mode == 0o700)
    let reopened = try Accounts(for: configuration)
    #expect(try await reopened.account(address: "ann@tea.example")?.displayName == "Ann")
    #expect(try await reopened.account(address: "bob@tea.example")?.displayName == "Bob")
  }

  @Test func `has its account in memory if nothing is kept`() async throws {
    let accounts = try Accounts(for: Configuration())
    try await accounts.add(address: "ann@tea.example", displayName: "Ann", password: TestAccounts.password)

    #expect(try await accounts.account(address: "ann@tea.example") != nil)
    #expect(try await Accounts(for: Configuration()).account(address: "ann@tea.example") == nil)
  }

  @Test func `stays logged in while the login is used, and not longer`() async throws {
    let test = try TestAccounts()
    try await test.addAnn()
    let login = try await test.logInAnn()

    for _ in 1...10 {
      test.clock.advance(by: .seconds(20 * 86_400))
      #expect(try await test.accounts.account(token: login.token) != nil)
    }
    test.clock.advance(by: .seconds(30 * 86_400 + 3_601))

    #expect(try await test.accounts.account(token: login.token) == nil)
  }

  @Test func `is asked again before the login ends`() async throws {
    var test = try TestAccounts()
    test.accounts.logInLifetime = .seconds(60)
    try await test.addAnn()
    let login = try await test.logInAnn()

    #expect(try await test.accounts.visitor(of: test.request(login.token)).validFor == .seconds(60))
  }

  @Test func `logs out here, or everywhere`() async throws {
    let test = try TestAccounts()
    let ann = try await test.addAnn()
    let (one, two, three) = (try await test.logInAnn(), try await test.logInAnn(), try await test.logInAnn())

    try await test.accounts.logOut(token: one.token)
    let afterOne = try await test.loggedIn([one, two, three])
    try await test.accounts.logOutEverywhere(id: ann.id)

    #expect(afterOne == [false, true, true])
    #expect(try await test.loggedIn([one, two, three]) == [false, false, false])
  }

  @Test func `changes the password by the old one, which ends all other logins`() async throws {
    let test = try TestAccounts()
    try await test.addAnn()
    let (here, there) = (try await test.logInAnn(), try await test.logInAnn())

    await #expect(throws: AccountProblem.credentialsWrong) {
      try await test.accounts.changePassword(
        token: here.token, from: "tea and rise", to: "rice and tea", peer: "::1")
    }
    await #expect(throws: AccountProblem.passwordTooShort(8)) {
      try await test.accounts.changePassword(
        token: here.token, from: TestAccounts.password, to: "tea", peer: "::1")
    }
    #expect(try await test.loggedIn([here, there]) == [true, true])
    let new = try await test.accounts.changePassword(
      token: here.token, from: TestAccounts.password, to: "rice and tea", peer: "::1")

    #expect(try await test.loggedIn([here, there, new]) == [false, false, true])
    await #expect(throws: AccountProblem.credentialsWrong) { try await test.logInAnn() }
    _ = try await test.logInAnn("rice and tea")
  }

  @Test func `changes the address by the password`() async throws {
    let test = try TestAccounts()
    try await test.addAnn()
    try await test.accounts.add(address: "bob@tea.example", displayName: "Bob", password: "tea for two")
    let login = try await test.logInAnn()
    func change(_ password: String, _ address: String) async throws {
      try await test.accounts.changeAddress(token: login.token, password: password, to: address, peer: "::1")
    }

    await #expect(throws: AccountProblem.credentialsWrong) {
      try await change("tea and rise", "ann@rice.example")
    }
    await #expect(throws: AccountProblem.addressTaken) {
      try await change(TestAccounts.password, "Bob@tea.example")
    }
    await #expect(throws: AccountProblem.addressInvalid) { try await change(TestAccounts.password, "ann") }
    try await change(TestAccounts.password, "ann@rice.example")

    #expect(try await test.accounts.account(token: login.token)?.address == "ann@rice.example")
    await #expect(throws: AccountProblem.credentialsWrong) { try await test.logInAnn() }
  }

  @Test(arguments: [false, true])
  func `is told at the old address that the account has another one`(sendsLinks: Bool) async throws {
    let test = try TestAccounts(sendsLinks: sendsLinks, sendsNotices: true)
    try await test.addAnn()
    let login = try await test.logInAnn()
    // Who asks for links to the old address keeps no notice from it.
    if sendsLinks {
      for _ in 1...9 {
        try await test.accounts.requestPassword(address: "ann@tea.example", from: "192.0.2.7")
      }
      await test.accounts.desk.settle()
    }
    func change(_ password: String, _ address: String) async throws {
      try await test.accounts.changeAddress(
        token: login.token, password: password, to: address, peer: "::1", language: "ja")
      await test.accounts.desk.settle()
    }

    await #expect(throws: AccountProblem.credentialsWrong) {
      try await change("tea and rise", "ann@rice.example")
    }
    try await change(TestAccounts.password, "Ann@tea.example")
    #expect(test.sent.notices == [], "Nothing has changed.")
    try await change(TestAccounts.password, "ann@rice.example")
    if sendsLinks {
      #expect(test.sent.notices == [], "Nothing has changed before the link is opened.")
      _ = try await test.accounts.confirmAddress(token: test.sent.token, language: "ja")
    }
    await test.accounts.desk.settle()

    #expect(test.sent.notices == ["ann@tea.example ann@rice.example ja"])
    #expect(try await test.accounts.account(token: login.token)?.address == "ann@rice.example")
  }

  @Test func `changes the address although the old one cannot be told`() async throws {
    struct NoMail: Error {}
    var test = try TestAccounts()
    test.accounts.sendNotice { _, _ in throw NoMail() }
    try await test.addAnn()
    let login = try await test.logInAnn()

    try await test.accounts.changeAddress(
      token: login.token, password: TestAccounts.password, to: "ann@rice.example", peer: "::1")
    await test.accounts.desk.settle()

    #expect(try await test.accounts.account(token: login.token)?.address == "ann@rice.example")
  }

  @Test func `gets a stronger hash at the next login`() async throws {
    let test = try TestAccounts()
    try await test.addAnn()
    let dearer = Accounts(
      store: test.store, hasher: PasswordHasher(cost: HashCost(passes: 2, memory: 16_384)),
      clock: test.clock.clock)

    _ = try await dearer.logIn(address: "ann@tea.example", password: TestAccounts.password, from: "::1")

    #expect(try await test.store.account(address: "ann@tea.example")?.hash.contains("m=16,t=2") == true)
    _ = try await test.logInAnn()
  }

  @Test func `has fifty logins, the newest`() async throws {
    let test = try TestAccounts()
    let ann = try await test.addAnn()
    let stored = try #require(try await test.store.account(id: ann.id))
    var tokens: [Token] = []
    for _ in 1...60 {
      test.clock.advance(by: .seconds(1))
      let token = Token()
      tokens.append(token)
      let login = test.accounts.newLogin(token, of: ann.id)
      _ = try await test.store.begin(login, verified: stored.hash, renewed: nil)
    }

    var alive: [Bool] = []
    for token in tokens { alive.append(try await test.accounts.account(token: token.text) != nil) }

    #expect(alive == Array(repeating: false, count: 10) + Array(repeating: true, count: 50))
  }

  @Test func `gets roles, and goes with all logins`() async throws {
    let test = try TestAccounts()
    let ann = try await test.addAnn()
    let login = try await test.logInAnn()

    try await test.accounts.setRoles(["editor", "host"], of: ann.id)
    let roles = try await test.accounts.visitor(of: test.request(login.token)).roles
    try await test.accounts.remove(id: ann.id)

    #expect(roles == ["editor", "host"])
    #expect(try await test.accounts.account(token: login.token) == nil)
    #expect(try await test.accounts.account(address: "ann@tea.example") == nil)
  }
}

@Suite(.eachStore, .timeLimit(.minutes(5))) struct `Somebody who guesses` {
  @Test func `learns nothing from an address without account: same answer, same work`() async throws {
    let test = try TestAccounts()
    try await test.addAnn()
    _ = try await test.accounts.desk.hasher.verify("", nil)
    var work: [Int] = []

    for (address, password) in [
      ("ann@tea.example", "wrong"), ("nobody@tea.example", "wrong"), ("no address", "wrong"),
    ] {
      let before = test.accounts.desk.hasher.count
      await #expect(throws: AccountProblem.credentialsWrong) {
        try await test.accounts.logIn(address: address, password: password, from: "192.0.2.1")
      }
      work.append(test.accounts.desk.hasher.count - before)
    }

    #expect(work == [1, 1, 1])
  }

  @Test(arguments: ["", "tea\u{0}", String(repeating: "t", count: 100_000)])
  func `works as much with a password that nobody can have`(password: String) async throws {
    let test = try TestAccounts()
    try await test.addAnn()
    let before = test.accounts.desk.hasher.count

    await #expect(throws: AccountProblem.credentialsWrong) { try await test.logInAnn(password) }

    #expect(test.accounts.desk.hasher.count == before + 1)
  }

  @Test(arguments: ["ann@tea.example", "nobody@tea.example"])
  func `waits longer and longer for one address, from wherever`(address: String) async throws {
    let test = try TestAccounts()
    try await test.addAnn()
    var problems: [AccountProblem] = []

    for number in 1...7 {
      do {
        _ = try await test.accounts.logIn(address: address, password: "wrong", from: "192.0.2.\(number)")
      } catch let problem as AccountProblem { problems.append(problem) }
    }
    let hashes = test.accounts.desk.hasher.count
    test.clock.advance(by: .seconds(1))
    await #expect(throws: AccountProblem.credentialsWrong) {
      try await test.accounts.logIn(address: address, password: "wrong", from: "192.0.2.9")
    }

    #expect(
      problems == Array(repeating: .credentialsWrong, count: 5) + [
        .tooMany(seconds: 2), .tooMany(seconds: 2),
      ])
    #expect(test.accounts.desk.hasher.count == hashes + 1)
  }

  @Test func `waits for many addresses, from one network of IPv6 as from one address`() async throws {
    let test = try TestAccounts()
    var problems: [AccountProblem] = []

    for number in 1...21 {
      do {
        _ = try await test.accounts.logIn(
          address: "a\(number)@tea.example", password: "wrong", from: "2001:db8::\(number)")
      } catch let problem as AccountProblem { problems.append(problem) }
    }

    #expect(problems.count { $0 == .credentialsWrong } == 20)
    #expect(problems.last == .tooMany(seconds: 2))
  }

  @Test(arguments: ["127.0.0.1", "::1"])
  func `keeps nobody else waiting behind a proxy that has no name`(address: String) async throws {
    let test = try TestAccounts()
    try await test.addAnn()

    let problems = try await (1...30).asyncMap { number in
      try await refusal {
        try await test.accounts.logIn(address: "a\(number)@tea.example", password: "wrong", from: address)
      }
    }

    #expect(problems == Array(repeating: .credentialsWrong, count: 30))
    _ = try await test.logInAnn(from: address)
    // The account itself is not tried any longer than from elsewhere.
    let tries = try await (1...6).asyncMap { _ in
      try await refusal { try await test.logInAnn("wrong", from: address) }
    }
    #expect(tries == Array(repeating: .credentialsWrong, count: 5) + [.tooMany(seconds: 2)])
    // What else they ask for counts there as everywhere.
    let links = try await (1...21).asyncMap { number in
      try await refusal {
        try await test.accounts.signUp(
          address: "b\(number)@tea.example", displayName: "B", password: TestAccounts.password, from: address)
      }
    }
    #expect(links == Array(repeating: nil, count: 20) + [.tooMany(seconds: 2)])
  }

  @Test func `cannot try a thousand at once`() async throws {
    let test = try TestAccounts(maxWaiting: 10_000)
    try await test.addAnn()
    let before = test.accounts.desk.hasher.count

    let problems = try await withThrowingTaskGroup(of: AccountProblem?.self) { group in
      for number in 1...1_000 {
        group.addTask {
          try await refusal {
            try await test.logInAnn("wrong \(number)", from: "10.0.\(number / 250).\(number % 250)")
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(problems.count { $0 == .credentialsWrong } == 5)
    #expect(test.accounts.desk.hasher.count - before <= 6)
  }

  @Test func `does not make the right password wrong`() async throws {
    let test = try TestAccounts()
    try await test.addAnn()
    for _ in 1...4 { #expect(try await refusal { try await test.logInAnn("wrong") } == .credentialsWrong) }

    _ = try await test.logInAnn()

    // The right one made a new beginning.
    for _ in 1...5 {
      await #expect(throws: AccountProblem.credentialsWrong) {
        try await test.logInAnn("wrong", from: "192.0.2.7")
      }
    }
  }

  @Test func `of the old password with a stolen cookie waits as well`() async throws {
    let test = try TestAccounts()
    try await test.addAnn()
    let login = try await test.logInAnn()
    var last: (any Error)?

    for _ in 1...6 {
      do {
        _ = try await test.accounts.changePassword(
          token: login.token, from: "wrong", to: "rice and tea", peer: "::1")
      } catch { last = error }
    }

    #expect(last as? AccountProblem == .tooMany(seconds: 2))
  }
}

extension Sequence {
  fileprivate func asyncMap<Output>(_ work: (Element) async throws -> Output) async rethrows -> [Output] {
    var outputs: [Output] = []
    for element in self { outputs.append(try await work(element)) }
    return outputs
  }
}

extension TestAccounts {
  func request(_ token: String?) -> Request {
    Request(.get, "/", headers: token.map { ["cookie": "theme=dark; \(Accounts.cookie)=\($0)"] } ?? [:])
  }

  func loggedIn(_ logins: [LogIn]) async throws -> [Bool] {
    var answers: [Bool] = []
    for login in logins { answers.append(try await accounts.account(token: login.token) != nil) }
    return answers
  }
}
