// SPDX-License-Identifier: Apache-2.0
public import Musubi
import Foundation
import MusubiSQLite

/// People who log in by an address and a password, and the pages for it.
///
/// ```swift
/// let accounts = try Accounts(for: application.configuration)
/// try await accounts.add(address: "ann@tea.example", displayName: "Ann", password: password, roles: ["host"])
/// ```
///
/// Functions that check a password take the network address of who
/// asks, `request.remoteAddress`, and slow down whoever tries too often.
/// Those that end open pages tell them before they return; in a route when its response was sent, so that the browser's
/// other tabs come back with its new cookie.
public struct Accounts: Sendable {
  /// The rules of a new password.
  public var passwordRules = PasswordRules()
  /// How long a log-in holds that is not used; 30 days.
  public var logInLifetime: Duration = .seconds(30 * 86_400)
  /// How long a link can be used; an hour.
  public var linkLifetime: Duration = .seconds(3_600)
  /// How soon an open page learns of changed roles or an ended log-in at the latest; an hour.
  public var visitorLifetime: Duration = .seconds(3_600)
  /// Whether people may sign up by themselves; true.
  public var allowsSignUp = true

  let desk: AccountDesk
  private(set) var links: Links?
  private(set) var notify: (@Sendable (_ address: String, _ notice: AccountNotice) async throws -> Void)?

  /// How links are sent.
  struct Links: Sendable {
    /// Where the pages are: `https://tea.example`.
    let base: String
    let send: @Sendable (String, AccountLink) async throws -> Void
  }

  /// Accounts where an application keeps its data: in the database of `--cluster` or `--store`, else in `accounts.sqlite` in the
  /// folder of `--data`, which is made if it is not there.
  ///
  /// With none of these they are in memory, and end with the program, as sessions and rooms do.
  ///
  /// ```swift
  /// await Application.run { application in
  ///   let accounts = try Accounts(for: application.configuration)
  ///   try accounts.install(in: &application)
  /// }
  /// ```
  ///
  /// - Parameter configuration: What the program's command line says.
  /// - Throws: An error with a sentence if the database cannot be reached, or the file cannot be opened.
  public init(for configuration: Configuration) throws {
    if let url = configuration.clusterURL ?? configuration.storeURL {
      try self.init(postgres: url)
    } else if let folder = configuration.dataFolder {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try self.init(file: folder + "/accounts.sqlite")
    } else {
      self.init(store: try TableAccountStore(.memory))
    }
  }

  /// Accounts in a file of SQLite, which is made if it does not exist, and which only the program's user may read.
  ///
  /// - Parameter file: The file's path; its folder is there.
  /// - Throws: An error with a sentence if the file cannot be opened.
  public init(file: String) throws {
    self.init(store: try TableAccountStore(.file(file)))
  }

  /// Accounts in a PostgreSQL database, which all servers of a cluster reach; the first start makes the tables, in the schema
  /// `musubi_accounts`.
  ///
  /// ```swift
  /// let accounts = try Accounts(postgres: "postgres://musubi@db.example.org/musubi")
  /// ```
  ///
  /// Log-ins, sign-outs, links and the count of wrong passwords are the same at all servers. Their clocks have to agree.
  ///
  /// - Parameter url: The database; `--cluster`, for instance.
  /// - Throws: An error with a sentence if it cannot be reached.
  public init(postgres url: String) throws {
    self.init(store: try TableAccountStore(postgres: url))
  }

  /// Accounts in a store, for tests.
  ///
  /// - Parameters:
  ///   - store: Where they are kept.
  ///   - hasher: Makes and compares hashes.
  ///   - clock: Says what time it is.
  init(store: any AccountStore, hasher: PasswordHasher = PasswordHasher(), clock: AccountClock = .system) {
    desk = AccountDesk(store: store, hasher: hasher, clock: clock)
  }

  /// Has links sent: to confirm an address, and for a forgotten password.
  ///
  /// Without it there are no such pages.
  ///
  /// ```swift
  /// accounts.sendLink(base: "https://tea.example") { address, link in
  ///   try await mail.send(to: address, subject: "Your link", text: "Open \(link)")
  /// }
  /// ```
  ///
  /// The links begin with `base`, and not with what a request says of the host: whoever asks for somebody's link could say
  /// anything there. Musubi cannot know it by itself: behind a proxy neither scheme nor port nor which of its names is meant, and
  /// `--allow-origin` may name other people's sites.
  ///
  /// - Parameters:
  ///   - base: Where your pages are, without a path.
  ///   - send: Sends a link to an address; called after the answer, which tells nobody whether it was. Its error goes to the
  ///     log.
  public mutating func sendLink(
    base: String, _ send: @escaping @Sendable (_ address: String, _ link: AccountLink) async throws -> Void
  ) {
    links = Links(base: base.hasSuffix("/") ? String(base.dropLast()) : base, send: send)
  }

  /// Has the former address of an account told that the account has another one.
  ///
  /// Whoever has learned a password, and sits at the browser, can change the address; so its owner hears of it. Without this
  /// nobody is told.
  ///
  /// ```swift
  /// accounts.sendNotice { address, notice in
  ///   try await mail.send(to: address, subject: "Your account", text: "Its address is \(notice.newAddress) now.")
  /// }
  /// ```
  ///
  /// - Parameter send: Sends a notice to an address; called after the change. Its error goes to the log.
  public mutating func sendNotice(
    _ send: @escaping @Sendable (_ address: String, _ notice: AccountNotice) async throws -> Void
  ) { notify = send }

  /// The older name of `logInLifetime`.
  @available(*, deprecated, renamed: "logInLifetime")
  public var loginLifetime: Duration {
    get { logInLifetime }
    set { logInLifetime = newValue }
  }

  /// Whether links are sent.
  public var sendsLinks: Bool { links != nil }

  // MARK: - For the program

  /// Makes an account without any link, by the program itself.
  ///
  /// - Parameters:
  ///   - address: The e-mail address.
  ///   - displayName: The name for other people.
  ///   - password: The password.
  ///   - roles: The owner's roles in the application.
  /// - Returns: The account.
  /// - Throws: `AccountProblem`: what is wrong with one of them; or the store's error.
  @discardableResult
  public func add(
    address: String, displayName: String, password: String, roles: Set<Role> = []
  ) async throws -> Account {
    guard let address = AccountAddress(address) else { throw AccountProblem.addressInvalid }
    let name = try Self.name(displayName)
    if let problem = passwordRules.problem(of: password, beside: [address.text, name]) { throw problem }
    return try await addStored(address, name, password, roles).account
  }

  /// The account with an address.
  ///
  /// - Parameter address: The e-mail address.
  /// - Returns: The account; nil if there is none.
  /// - Throws: The store's error.
  public func account(address: String) async throws -> Account? {
    guard let address = AccountAddress(address) else { return nil }
    return try await desk.store.account(address: address.text)?.account
  }

  /// The account with an id, which is the `Visitor.id`.
  ///
  /// - Parameter id: The id.
  /// - Returns: The account; nil if there is none.
  /// - Throws: The store's error.
  public func account(id: String) async throws -> Account? { try await desk.store.account(id: id)?.account }

  /// Sets what an account's owner is to the application; open pages end, and a reload shows them with it.
  ///
  /// - Parameters:
  ///   - roles: The new roles.
  ///   - id: The account's id.
  /// - Throws: The store's error.
  public func setRoles(_ roles: Set<Role>, of id: String) async throws {
    try await desk.store.setRoles(Set(roles.map(\.rawValue)), of: id)
    await desk.endSessions(of: id)
  }

  /// Forgets an account, and ends its log-ins and open pages.
  ///
  /// - Parameter id: The account's id.
  /// - Throws: The store's error.
  public func remove(id: String) async throws {
    try await desk.store.remove(id: id)
    await desk.endSessions(of: id)
  }

  // MARK: - Parts

  /// Makes and keeps an account, all of whose parts are right.
  func addStored(
    _ address: AccountAddress, _ name: String, _ password: String, _ roles: Set<Role> = []
  ) async throws -> StoredAccount {
    guard try await desk.store.account(address: address.text) == nil else {
      throw AccountProblem.addressTaken
    }
    let stored = try await makeAccount(address.text, name, password, roles)
    guard try await desk.store.add(stored) else { throw AccountProblem.addressTaken }
    return stored
  }

  func makeAccount(
    _ address: String, _ name: String, _ password: String, _ roles: Set<Role> = []
  ) async throws -> StoredAccount {
    StoredAccount(
      account: Account(
        id: Token.random(16), address: address, displayName: name, roles: roles, created: desk.clock.date()),
      hash: try await desk.hasher.hash(PasswordRules.prepared(password) ?? ""))
  }

  /// A name for other people, without spaces at its ends.
  static func name(_ text: String) throws -> String {
    guard text.utf8.count <= 400 else { throw AccountProblem.nameInvalid }
    let name = text.precomposed.trimming(while: \.isWhitespace)
    let isPlain = !name.unicodeScalars.contains { scalar in
      switch scalar.properties.generalCategory {
      // Format characters can turn the direction of the text around a name.
      case .control, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: true
      case .format: scalar != "\u{200D}" && scalar != "\u{200C}"
      default: false
      }
    }
    guard isPlain, !name.isEmpty, name.count <= 60, name.utf8.count <= 200 else {
      throw AccountProblem.nameInvalid
    }
    return name
  }
}
