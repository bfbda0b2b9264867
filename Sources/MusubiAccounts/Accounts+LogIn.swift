// SPDX-License-Identifier: Apache-2.0
public import Musubi

extension Accounts {
  /// The name of the cookie that has a log-in's token.
  public static let cookie = "musubi-login"

  /// Logs somebody in.
  ///
  /// An address without account takes the same work and gets the same answer as a wrong password.
  ///
  /// - Parameters:
  ///   - address: The e-mail address.
  ///   - password: The password.
  ///   - peer: The network address of who asks.
  /// - Returns: The log-in.
  /// - Throws: `AccountProblem`: `credentialsWrong`, `tooMany`, `busy`; or the store's error.
  public func logIn(address: String, password: String, from peer: String) async throws -> LogIn {
    let known = AccountAddress(address)
    let keys = AttemptKey.password(for: known?.text ?? "", from: peer)
    // A hash that has changed meanwhile is another password's, or was renewed by another log-in: it is compared, too.
    for _ in 1...2 {
      try await desk.admit(keys)
      let stored =
        if let known { try await desk.store.account(address: known.text) } else { nil as StoredAccount? }
      guard try await verify(password, stored?.hash, keys), let stored else {
        throw AccountProblem.credentialsWrong
      }
      if let logIn = try await begin(stored, renewed: renewedHash(of: password, stored)) {
        await desk.forgetPasswords(of: logIn.account.address)
        return logIn
      }
    }
    throw AccountProblem.credentialsWrong
  }

  /// The account that is logged in in a browser.
  ///
  /// - Parameter token: The token of the browser's cookie; nil if it has none.
  /// - Returns: The account; nil if nobody is.
  /// - Throws: The store's error.
  public func account(token: String?) async throws -> Account? { try await login(token)?.1 }

  /// The visitor who sends a request, by the cookie of a log-in.
  ///
  /// - Parameter request: The request.
  /// - Returns: The visitor; `.anonymous` if nobody is logged in there.
  /// - Throws: The store's error.
  public func visitor(of request: Request) async throws -> Visitor {
    guard let (login, account) = try await login(request.cookies[Self.cookie]) else { return .anonymous }
    let rest = Duration.seconds(max(1, login.expires - desk.clock.date()))
    return Visitor(
      id: account.id, displayName: account.displayName, roles: account.roles,
      validFor: min(visitorLifetime, rest), logIn: login.name)
  }

  /// Ends the log-in of a browser, and its open pages.
  ///
  /// - Parameter token: The token of the browser's cookie.
  /// - Throws: The store's error.
  public func logOut(token: String?) async throws {
    guard let (login, account) = try await login(token) else { return }
    try await desk.store.removeLogin(login.token)
    await desk.endSessions(of: account.id, logIn: login)
  }

  /// Ends all log-ins of an account, in all browsers, and its open pages.
  ///
  /// - Parameter id: The account's id.
  /// - Throws: The store's error.
  public func logOutEverywhere(id: String) async throws {
    try await desk.store.removeLogins(of: id)
    await desk.endSessions(of: id)
  }

  // MARK: - Parts

  /// The log-in of a token; its end moves on while it is used.
  func login(_ text: String?) async throws -> (StoredLogin, Account)? {
    let now = desk.clock.date()
    guard let token = text.flatMap(Token.init),
      let (kept, account) = try await desk.store.login(token.hash, at: now)
    else { return nil }
    var login = kept
    // Once in an hour, so that a visit is no write.
    if now - login.used > 3_600 {
      (login.used, login.expires) = (now, now + logInLifetime / .seconds(1))
      try await desk.store.use(login)
    }
    return (login, account)
  }

  /// Begins a log-in of an account whose password was verified; nil if the account has another hash by now.
  func begin(_ stored: StoredAccount, renewed: String? = nil) async throws -> LogIn? {
    let token = Token()
    let account = try await desk.store.begin(
      newLogin(token, of: stored.account.id), verified: stored.hash, renewed: renewed)
    return account.map { LogIn(account: $0, token: token.text) }
  }

  /// A hash of the present strength; nil if the account has one.
  private func renewedHash(of password: String, _ stored: StoredAccount) async throws -> String? {
    guard PasswordHash.isOutdated(stored.hash, cost: desk.hasher.cost),
      let prepared = PasswordRules.prepared(password)
    else { return nil }
    return try await desk.hasher.hash(prepared)
  }

  func newLogin(_ token: Token, of id: String) -> StoredLogin {
    let now = desk.clock.date()
    return StoredLogin(token: token.hash, account: id, expires: now + logInLifetime / .seconds(1), used: now)
  }

  /// Compares a password; what was no wrong attempt does not count as one.
  func verify(_ password: String, _ hash: String?, _ keys: [AttemptKey]) async throws -> Bool {
    do {
      let isRight = try await desk.hasher.verify(password, hash)
      if isRight { await desk.giveBack(keys) }
      return isRight
    } catch {
      await desk.giveBack(keys)
      throw error
    }
  }
}
