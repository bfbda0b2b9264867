// SPDX-License-Identifier: Apache-2.0

/// Where accounts are kept; each function is one transaction.
package protocol AccountStore: Sendable {
  /// Counts attempts at all servers that have this store.
  var attempts: any Attempts { get }
  /// The account with an address; nil if there is none.
  func account(address: String) async throws -> StoredAccount?
  /// The account with an id; nil if there is none.
  func account(id: String) async throws -> StoredAccount?
  /// Keeps a new account.
  ///
  /// - Returns: False if another one has its address; then nothing was changed.
  func add(_ account: StoredAccount) async throws -> Bool
  /// Forgets an account with its log-ins and links.
  func remove(id: String) async throws
  /// Sets the roles of an account.
  func setRoles(_ roles: Set<String>, of id: String) async throws
  /// Sets a new password and ends all log-ins and links of the account but for one that begins.
  ///
  /// - Parameters:
  ///   - hash: The hash of the new password.
  ///   - old: The hash that it replaces.
  ///   - login: The log-in that begins.
  /// - Returns: False if the password has changed meanwhile; then nothing was changed.
  /// - Throws: The store's error.
  func setPassword(_ hash: String, replacing old: String, login: StoredLogin) async throws -> Bool
  /// Sets an account's address.
  ///
  /// - Parameters:
  ///   - address: The new address.
  ///   - account: The account as it was when its password was verified.
  /// - Returns: False if another one has the address.
  /// - Throws: `AccountProblem.credentialsWrong` if the account has changed meanwhile; or the store's error.
  func setAddress(_ address: String, of account: StoredAccount) async throws -> Bool

  /// Keeps a new log-in; of those of one account the oldest go, if there are too many.
  ///
  /// - Parameters:
  ///   - login: The log-in.
  ///   - verified: The hash with which the password was compared.
  ///   - renewed: Another hash of the same password, which replaces it; nil if it stays.
  /// - Returns: The account; nil if it has another hash by now, or is gone: then nothing was changed.
  /// - Throws: The store's error.
  func begin(_ login: StoredLogin, verified: String, renewed: String?) async throws -> Account?
  /// The log-in of a token's hash and its account; nil if there is none, or it has ended.
  func login(_ token: [UInt8], at now: Double) async throws -> (StoredLogin, Account)?
  /// Says that a log-in was used.
  func use(_ login: StoredLogin) async throws
  /// Ends a log-in.
  func removeLogin(_ token: [UInt8]) async throws
  /// Ends all log-ins of an account.
  func removeLogins(of id: String) async throws

  /// Keeps a link, and forgets those that are too old; of one address and purpose the newest three stay.
  ///
  /// - Parameters:
  ///   - link: The link.
  ///   - account: Its account as it was when the link was asked for; nil if the link makes one.
  ///   - now: The time.
  /// - Returns: False if there are too many links, or the account has changed meanwhile; then nothing was kept.
  /// - Throws: The store's error.
  func add(_ link: StoredLink, of account: StoredAccount?, at now: Double) async throws -> Bool
  /// The link of a token's hash; nil if there is none, or it is too old.
  func link(_ token: [UInt8], at now: Double) async throws -> StoredLink?
  /// Uses up a link that makes an account or sets a password: the account gets it, all its log-ins and links end, and one begins.
  ///
  /// - Parameters:
  ///   - token: The hash of the link's token.
  ///   - now: The time.
  ///   - account: The account to make; its hash is the new password's in either case.
  ///   - login: The log-in that begins; its account is set to the account's.
  /// - Returns: The account; nil if the link is none, or another account has its address by now.
  /// - Throws: The store's error.
  func redeem(_ token: [UInt8], at now: Double, making account: StoredAccount, login: StoredLogin)
    async throws -> Account?
  /// Uses up a link that changes an address.
  ///
  /// - Returns: The account; nil if the link is none, or another account has its address by now.
  func redeemChange(_ token: [UInt8], at now: Double) async throws -> Account?
  /// Closes the store.
  func close() async
}
