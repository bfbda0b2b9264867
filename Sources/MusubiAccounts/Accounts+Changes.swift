// SPDX-License-Identifier: Apache-2.0
import Musubi

extension Accounts {
  /// Changes the password of who is logged in, and ends all other log-ins and open pages of the account.
  ///
  /// - Parameters:
  ///   - token: The token of the browser's cookie.
  ///   - old: The password so far; a stolen cookie alone changes nothing.
  ///   - new: The new password.
  ///   - peer: The network address of who asks.
  /// - Returns: The log-in of this browser, with a new token.
  /// - Throws: `AccountProblem`: what is wrong with the new password, `credentialsWrong` if the old one is not right,
  ///   `notLoggedIn`, `tooMany`, `busy`; or the store's error.
  public func changePassword(token: String?, from old: String, to new: String, peer: String) async throws
    -> LogIn
  {
    let stored = try await checked(token, old, from: peer)
    let account = stored.account
    if let problem = passwordRules.problem(of: new, beside: [account.address, account.displayName]) {
      throw problem
    }
    let hash = try await desk.hasher.hash(PasswordRules.prepared(new) ?? "")
    let token = Token()
    guard
      try await desk.store.setPassword(hash, replacing: stored.hash, login: newLogin(token, of: account.id))
    else {
      throw AccountProblem.credentialsWrong
    }
    await desk.endSessions(of: account.id)
    return LogIn(account: account, token: token.text)
  }

  /// Changes the address of who is logged in: at once, or, where links are sent, when the link to the new address is opened.
  ///
  /// - Parameters:
  ///   - token: The token of the browser's cookie.
  ///   - password: The password, so that a stolen cookie alone changes nothing.
  ///   - address: The new address.
  ///   - peer: The network address of who asks.
  ///   - language: The language of the page.
  /// - Throws: `AccountProblem`: `addressInvalid`, `credentialsWrong`, `notLoggedIn`, `tooMany`, `busy`, and without links
  ///   `addressTaken`; or the store's error.
  public func changeAddress(
    token: String?, password: String, to address: String, peer: String, language: String = "en"
  ) async throws {
    guard let address = AccountAddress(address) else { throw AccountProblem.addressInvalid }
    let stored = try await checked(token, password, from: peer)
    let account = stored.account
    guard account.address != address.text else { return }
    guard links != nil else {
      guard try await desk.store.setAddress(address.text, of: stored) else {
        throw AccountProblem.addressTaken
      }
      tell(account, of: address.text, language)
      return
    }
    try desk.later {
      let other = try await desk.store.account(address: address.text)
      if other == nil {
        try await send(.confirmAddress, .change, to: address, of: stored, language: language)
      } else {
        try await send(.alreadySignedUp, nil, to: address, language: language)
      }
    }
  }

  /// Tells the address that an account had of the new one; an address that gets too many notices gets none.
  ///
  /// - Parameters:
  ///   - account: The account as it was.
  ///   - newAddress: Its address from now on.
  ///   - language: The language of who changed it.
  func tell(_ account: Account, of newAddress: String, _ language: String) {
    let old = account.address
    guard let notify else { return }
    let notice = AccountNotice(
      newAddress: newAddress, displayName: account.displayName, language: language)
    // The address is changed already: whoever changed it is told so, however busy the server is.
    do {
      try desk.later {
        if try await desk.store.attempts.admit([.notice(old)], at: desk.clock) == nil {
          try await notify(old, notice)
        }
      }
    } catch { desk.note("mail not sent", error) }
  }

  /// The account that is logged in, if its password is right.
  private func checked(_ token: String?, _ password: String, from peer: String) async throws -> StoredAccount
  {
    guard let (_, account) = try await login(token), let stored = try await desk.store.account(id: account.id)
    else {
      throw AccountProblem.notLoggedIn
    }
    let keys = AttemptKey.password(for: account.address, from: peer)
    try await desk.admit(keys)
    guard try await verify(password, stored.hash, keys) else { throw AccountProblem.credentialsWrong }
    await desk.forgetPasswords(of: account.address)
    return stored
  }
}
