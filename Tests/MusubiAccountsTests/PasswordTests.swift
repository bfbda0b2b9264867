// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Testing

@testable import MusubiAccounts

@Suite(.timeLimit(.minutes(5))) struct `A password` {
  private func problem(_ password: String) -> AccountProblem? {
    PasswordRules().problem(of: password, beside: ["ann@tea.example", "Ann of the teas"])
  }

  @Test(arguments: ["tea and rice", "茶とごはんとお箸です", "ǅungla 1 2 3", "🍵🍙🍣🍵🍙🍣🍱🥢"])
  func `of any script is welcome`(password: String) { #expect(problem(password) == nil) }

  @Test func `has at least eight characters, however they are written`() {
    #expect(problem("teateat") == .passwordTooShort(8))
    #expect(problem("茶茶飯飯箸箸椀") == .passwordTooShort(8))
  }

  @Test(arguments: ["password", "PASSW0RD", "1234567890", "aaaaaaaaab", "ann@tea.example", "Ann Of The Teas"])
  func `is none that everybody tries first`(password: String) {
    #expect(problem(password) == .passwordCommon)
  }

  @Test func `is none that the application refuses`() {
    var rules = PasswordRules()
    rules.refused = ["teahouse 1"]
    #expect(rules.problem(of: "Teahouse 1", beside: []) == .passwordCommon)
  }

  @Test(arguments: [
    "tea\u{0}and rice", "tea and\nrice", "tea and \u{2028} rice", String(repeating: "tea", count: 86),
  ])
  func `has no control characters and at most 256 bytes`(password: String) {
    #expect(problem(password) == .passwordUnusable)
    #expect(PasswordRules.prepared(password) == nil)
  }

  @Test func `is the same from another keyboard`() {
    #expect(PasswordRules.prepared("cafe\u{301}\u{3000}が") == PasswordRules.prepared("caf\u{E9} か\u{3099}"))
  }

  @Test func `is not cut or trimmed`() {
    #expect(PasswordRules.prepared(" tea and rice ") == " tea and rice ")
    #expect(PasswordRules.prepared(String(repeating: "t", count: 256))?.utf8.count == 256)
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A hash` {
  @Test func `is Argon2id with a salt of its own, and verifies its password alone`() throws {
    let one = try #require(PasswordHash.make("tea and rice", cost: .cheap))
    let other = try #require(PasswordHash.make("tea and rice", cost: .cheap))

    #expect(one.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
    #expect(one != other)
    #expect(PasswordHash.verifies(one, "tea and rice"))
    #expect(!PasswordHash.verifies(one, "tea and rise"))
    #expect(!PasswordHash.verifies("no hash", "tea and rice"))
    #expect(!PasswordHash.verifies(String(repeating: "$argon2id$", count: 20), "tea and rice"))
  }

  @Test func `costs what RFC 9106 says for little memory`() throws {
    let hash = try #require(PasswordHash.make("tea and rice", cost: .standard))

    #expect(hash.hasPrefix("$argon2id$v=19$m=65536,t=3,p=1$"))
    #expect(!PasswordHash.isOutdated(hash, cost: .standard))
    #expect(PasswordHash.isOutdated(hash, cost: .cheap))
  }

  @Test func `is made when it is its turn, and refused when too many wait`() async throws {
    let hasher = PasswordHasher(cost: .standard, maxRunning: 1, maxWaiting: 2)

    let results = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 1...10 {
        group.addTask { try await refusal { try await hasher.hash("tea and rice") } == nil }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    // One that runs and two in line; each that ended meanwhile made a place for another one.
    #expect(results.count { $0 } >= 3)
    #expect(results.count { $0 } == hasher.count)
    #expect(try await hasher.hash("tea and rice").hasPrefix("$argon2id$"))
  }
}

@Suite struct `An address` {
  @Test func `is one in any letter case`() {
    #expect(AccountAddress(" Ann@Tea.Example\n")?.text == "ann@tea.example")
    #expect(AccountAddress("ann+rice@localhost")?.text == "ann+rice@localhost")
  }

  @Test(
    arguments: [
      "", "ann", "@tea.example", "ann@", "ann@tea..example", "ann@-tea.example", "ann@tea.example-",
      "a nn@tea.example",
      "ann@tea@example", "ann\u{0}@tea.example", "änn@tea.example", "ann@tea.ex\u{430}mple",
      "ann@tea.example\r\nBcc: all@tea",
      String(repeating: "a", count: 250) + "@tea.example",
      "ann@" + String(repeating: "t", count: 64) + ".example",
    ])
  func `is none that a mail program could take for two`(text: String) { #expect(AccountAddress(text) == nil) }
}

@Suite struct `A token` {
  @Test func `has 256 random bits, which the store cannot tell`() throws {
    let token = Token()

    #expect(token.text.utf8.count == 43)
    #expect(token.text != Token().text)
    #expect(Token(token.text)?.hash == token.hash)
    #expect(token.hash.count == 32)
    #expect(Token("short") == nil)
  }

  @Test func `is hashed by SHA-256`() throws {
    let token = try #require(Token(String(repeating: "a", count: 43)))
    // Of Python's hashlib.
    #expect(
      token.hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        == "66d34fba71f8f450f7e45598853e53bfc23bbd129027cbb131a2f4ffd7878cd0")
  }
}
