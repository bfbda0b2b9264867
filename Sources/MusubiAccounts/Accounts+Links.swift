// SPDX-License-Identifier: Apache-2.0
import Musubi

extension Accounts {
  /// Makes an account for somebody who asks for one, where no links are sent.
  ///
  /// Here an address that has an account must be refused, and so can be told from others; only links avoid that. The attempts
  /// of a network address are counted.
  ///
  /// - Parameters:
  ///   - address: The e-mail address.
  ///   - displayName: The name for other people.
  ///   - password: The password.
  ///   - peer: The network address of who asks.
  /// - Returns: The log-in.
  /// - Throws: `AccountProblem`: what is wrong, `addressTaken`, `tooMany`, `busy`; or the store's error.
  public func signUp(address: String, displayName: String, password: String, from peer: String) async throws
    -> LogIn
  {
    precondition(
      links == nil, "Where links are sent, requestSignUp(address:displayName:from:) makes accounts.")
    guard let known = AccountAddress(address) else { throw AccountProblem.addressInvalid }
    let name = try Self.name(displayName)
    if let problem = passwordRules.problem(of: password, beside: [known.text, name]) { throw problem }
    try await desk.admit(AttemptKey.peers(of: peer))
    let stored = try await addStored(known, name, password)
    guard let logIn = try await begin(stored) else { throw AccountProblem.credentialsWrong }
    return logIn
  }

  /// Sends a link to somebody who asks for an account; its page has the password chosen, and makes the account.
  ///
  /// So nobody makes an account for an address that is not theirs, and whoever asked first does not know its password. The
  /// answer is the same for an address that has an account: the message to it says so.
  ///
  /// - Parameters:
  ///   - address: The e-mail address.
  ///   - displayName: The name for other people.
  ///   - peer: The network address of who asks.
  ///   - language: The language of the page.
  /// - Throws: `AccountProblem`: `addressInvalid`, `nameInvalid`, `tooMany`, `busy`.
  public func requestSignUp(
    address: String, displayName: String, from peer: String, language: String = "en"
  ) async throws {
    guard let address = AccountAddress(address) else { throw AccountProblem.addressInvalid }
    let name = try Self.name(displayName)
    try await desk.admit(AttemptKey.peers(of: peer))
    try desk.later {
      if try await desk.store.account(address: address.text) == nil {
        try await send(.confirmSignUp, .signUp, to: address, name: name, language: language)
      } else {
        try await send(.alreadySignedUp, nil, to: address, language: language)
      }
    }
  }

  /// Sends a link to somebody who has forgotten the password, if the address has an account; the answer is the same if not.
  ///
  /// - Parameters:
  ///   - address: The e-mail address.
  ///   - peer: The network address of who asks.
  ///   - language: The language of the page.
  /// - Throws: `AccountProblem`: `addressInvalid`, `tooMany`, `busy`.
  public func requestPassword(address: String, from peer: String, language: String = "en") async throws {
    guard let address = AccountAddress(address) else { throw AccountProblem.addressInvalid }
    try await desk.admit(AttemptKey.peers(of: peer))
    try desk.later {
      guard let stored = try await desk.store.account(address: address.text) else { return }
      try await send(.choosePassword, .reset, to: address, of: stored, language: language)
    }
  }

  /// What a link does, without using it up: programs that look for harm in mails open links, too.
  ///
  /// - Parameter token: The token of its address.
  /// - Returns: The link; nil if it was used, is too old, or never was one.
  /// - Throws: The store's error.
  func link(token: String?) async throws -> StoredLink? {
    guard let token = token.flatMap(Token.init) else { return nil }
    return try await desk.store.link(token.hash, at: desk.clock.date())
  }

  /// Uses up a link: sets the password that was chosen, makes the account if there is none yet, and ends all other log-ins
  /// and the account's open pages.
  ///
  /// - Parameters:
  ///   - token: The token of the link's address.
  ///   - password: The new password.
  ///   - peer: The network address of who asks.
  /// - Returns: The log-in of this browser.
  /// - Throws: `AccountProblem`: what is wrong with the password, `linkInvalid`, `tooMany`, `busy`; or the store's error.
  public func choosePassword(token: String?, password: String, from peer: String) async throws -> LogIn {
    guard let text = token, let link = try await link(token: text), link.purpose != .change else {
      throw AccountProblem.linkInvalid
    }
    let known = try await desk.store.account(address: link.address)?.account.displayName
    let words = [link.address, link.name ?? known ?? ""]
    if let problem = passwordRules.problem(of: password, beside: words) { throw problem }
    try await desk.admit(AttemptKey.peers(of: peer))
    let made = try await makeAccount(link.address, link.name ?? "", password)
    let token = Token()
    let account = try await desk.store.redeem(
      link.token, at: desk.clock.date(), making: made, login: newLogin(token, of: made.account.id))
    guard let account else { throw AccountProblem.linkInvalid }
    await desk.forgetPasswords(of: account.address)
    await desk.endSessions(of: account.id)
    return LogIn(account: account, token: token.text)
  }

  /// Uses up a link that changes an address.
  ///
  /// - Parameters:
  ///   - token: The token of the link's address.
  ///   - language: The language of the page.
  /// - Returns: The account with its new address.
  /// - Throws: `AccountProblem.linkInvalid`, also if another account has the address by now; or the store's error.
  public func confirmAddress(token: String?, language: String = "en") async throws -> Account {
    guard let link = try await link(token: token), let id = link.account,
      let old = try await account(id: id),
      let account = try await desk.store.redeemChange(link.token, at: desk.clock.date())
    else { throw AccountProblem.linkInvalid }
    tell(old, of: account.address, language)
    return account
  }

  /// Keeps a link and sends it; an address that gets too many gets none, and nobody hears of it.
  func send(
    _ purpose: AccountLink.Purpose, _ kept: StoredLink.Purpose?, to address: AccountAddress,
    of stored: StoredAccount? = nil, name: String? = nil, language: String
  ) async throws {
    let attempt: AttemptKey = purpose == .choosePassword ? .reset(address.text) : .link(address.text)
    guard let links, try await desk.store.attempts.admit([attempt], at: desk.clock) == nil else { return }
    var url = links.base + AccountPaths.logIn
    if let kept {
      let (token, now) = (Token(), desk.clock.date())
      let link = StoredLink(
        token: token.hash, purpose: kept, account: stored?.account.id, address: address.text, name: name,
        expires: now + linkLifetime / .seconds(1))
      guard try await desk.store.add(link, of: stored, at: now) else { throw AccountProblem.busy }
      url = "\(links.base)\(AccountPaths.link)?token=\(token.text)"
    }
    try await links.send(address.text, AccountLink(purpose: purpose, url: url, language: language))
  }
}

/// Where the pages are.
enum AccountPaths {
  static let logIn = "/login"
  static let signUp = "/signup"
  static let logOut = "/logout"
  static let account = "/account"
  static let forgotten = "/forgotten"
  static let link = "/link"
}
