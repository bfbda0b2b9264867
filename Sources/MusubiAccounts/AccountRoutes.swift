// SPDX-License-Identifier: Apache-2.0
import Musubi

/// Answers the requests of the pages.
struct AccountRoutes: Sendable {
  let accounts: Accounts
  let pages: AccountPages

  /// As long as browsers keep a cookie; the store knows when the log-in ends.
  private static let cookieAge = Duration.seconds(400 * 86_400)

  // MARK: - Logging in and out

  func logInPage(_ request: Request) -> Response {
    let words = Self.words(of: request)
    var content = AccountPages.Content(values: ["next": Self.next(request.query["next"])])
    content.note = request.query["done"].flatMap { words.texts[$0] }
    return .html(pages.html(.logIn, words, content))
  }

  func logIn(_ request: Request) async throws -> Response {
    let form = try request.form
    let (address, next) = (form["address"] ?? "", Self.next(form["next"]))
    do {
      let login = try await accounts.logIn(
        address: address, password: form["password"] ?? "", from: request.remoteAddress)
      return try await begin(login, request, next)
    } catch let problem as AccountProblem {
      return page(.logIn, request, ["address": address, "next": next], problem, [:])
    }
  }

  func logOut(_ request: Request) async throws -> Response {
    let token = request.cookies[Accounts.cookie]
    let isEverywhere = try request.form["everywhere"] == "yes"
    if isEverywhere, let account = try await accounts.account(token: token) {
      try await accounts.logOutEverywhere(id: account.id)
    } else {
      try await accounts.logOut(token: token)
    }
    var response = try Response.redirect(
      to: AccountPaths.logIn + (isEverywhere ? "?done=loggedOutEverywhere" : "?done=loggedOut"))
    response.removeCookie(Accounts.cookie)
    return response
  }

  // MARK: - Signing up, and links

  func signUpPage(_ request: Request) -> Response {
    let content = AccountPages.Content(values: ["next": Self.next(request.query["next"])])
    return .html(pages.html(accounts.sendsLinks ? .requestSignUp : .signUp, Self.words(of: request), content))
  }

  func signUp(_ request: Request) async throws -> Response {
    let form = try request.form
    let (address, name, next) = (form["address"] ?? "", form["name"] ?? "", Self.next(form["next"]))
    do {
      if accounts.sendsLinks {
        try await accounts.requestSignUp(
          address: address, displayName: name, from: request.remoteAddress,
          language: Self.words(of: request).language)
        return message("linkSent", request)
      }
      let login = try await accounts.signUp(
        address: address, displayName: name, password: form["password"] ?? "", from: request.remoteAddress)
      return try await begin(login, request, next)
    } catch let problem as AccountProblem {
      return page(
        accounts.sendsLinks ? .requestSignUp : .signUp, request,
        ["address": address, "name": name, "next": next],
        problem, [:])
    }
  }

  func forgottenPage(_ request: Request) -> Response {
    .html(pages.html(.forgotten, Self.words(of: request), AccountPages.Content()))
  }

  func forgotten(_ request: Request) async throws -> Response {
    let address = try request.form["address"] ?? ""
    do {
      try await accounts.requestPassword(
        address: address, from: request.remoteAddress, language: Self.words(of: request).language)
      return message("linkSent", request)
    } catch let problem as AccountProblem {
      return page(.forgotten, request, ["address": address], problem, [:])
    }
  }

  func linkPage(_ request: Request) async throws -> Response {
    let token = request.query["token"] ?? ""
    guard let link = try await accounts.link(token: token) else {
      return page(.message, request, [:], .linkInvalid, [:])
    }
    let content = AccountPages.Content(values: ["token": token, "address": link.address])
    let name: AccountPages.Name = link.purpose == .change ? .confirmAddress : .choosePassword
    return .html(pages.html(name, Self.words(of: request), content))
  }

  func useLink(_ request: Request) async throws -> Response {
    let form = try request.form
    let token = form["token"] ?? ""
    guard let link = try await accounts.link(token: token) else {
      return page(.message, request, [:], .linkInvalid, [:])
    }
    do {
      if link.purpose == .change {
        _ = try await accounts.confirmAddress(token: token, language: Self.words(of: request).language)
        return message("addressChanged", request)
      }
      let login = try await accounts.choosePassword(
        token: token, password: form["password"] ?? "", from: request.remoteAddress)
      return try await begin(login, request, "/")
    } catch AccountProblem.linkInvalid {
      return page(.message, request, [:], .linkInvalid, [:])
    } catch let problem as AccountProblem {
      return page(.choosePassword, request, ["token": token, "address": link.address], problem, [:])
    }
  }

  // MARK: - The account

  func accountPage(_ request: Request) async throws -> Response {
    guard let account = try await account(of: request) else { return try Self.logInFirst() }
    let words = Self.words(of: request)
    var content = AccountPages.Content(values: Self.values(of: account))
    content.note = request.query["done"].flatMap { words.texts[$0] }
    return .html(pages.html(.account, words, content))
  }

  func changePassword(_ request: Request) async throws -> Response {
    guard let account = try await account(of: request) else { return try Self.logInFirst() }
    let form = try request.form
    do {
      let login = try await accounts.changePassword(
        token: request.cookies[Accounts.cookie], from: form["old"] ?? "", to: form["password"] ?? "",
        peer: request.remoteAddress)
      return try await begin(login, request, AccountPaths.account + "?done=passwordChanged")
    } catch let problem as AccountProblem {
      return page(.account, request, Self.values(of: account), problem, ["current": "old"])
    }
  }

  func changeAddress(_ request: Request) async throws -> Response {
    guard let account = try await account(of: request) else { return try Self.logInFirst() }
    let form = try request.form
    let address = form["new-address"] ?? ""
    do {
      try await accounts.changeAddress(
        token: request.cookies[Accounts.cookie], password: form["current"] ?? "", to: address,
        peer: request.remoteAddress, language: Self.words(of: request).language)
      let done = accounts.sendsLinks ? "linkSent" : "addressChanged"
      return try .redirect(to: AccountPaths.account + "?done=\(done)")
    } catch let problem as AccountProblem {
      var values = Self.values(of: account)
      values["new-address"] = address
      return page(.account, request, values, problem, ["address": "new-address", "current": "current"])
    }
  }

  // MARK: - Answers

  private func account(of request: Request) async throws -> Account? {
    try await accounts.account(token: request.cookies[Accounts.cookie])
  }

  /// Gives a browser its new log-in, and ends the one that it had.
  private func begin(_ login: LogIn, _ request: Request, _ next: String) async throws -> Response {
    try await accounts.logOut(token: request.cookies[Accounts.cookie])
    var response = try Response.redirect(to: next)
    response.setCookie(Accounts.cookie, login.token, maxAge: Self.cookieAge)
    return response
  }

  private func message(_ text: String, _ request: Request) -> Response {
    let words = Self.words(of: request)
    return .html(pages.html(.message, words, AccountPages.Content(note: words.texts[text])))
  }

  /// A page with a problem, next to the field that it is about; what was typed stays, but no password.
  ///
  /// - Parameters:
  ///   - name: The page.
  ///   - request: What is answered.
  ///   - values: What was typed.
  ///   - problem: What is wrong.
  ///   - fields: The page's own names of fields; with `current`, it has a field for the password so far.
  /// - Returns: The page.
  private func page(
    _ name: AccountPages.Name, _ request: Request, _ values: [String: String], _ problem: AccountProblem,
    _ fields: [String: String]
  ) -> Response {
    let words = Self.words(of: request)
    var content = AccountPages.Content(values: values)
    let sentence = words.sentence(problem)
    switch problem {
    case .addressInvalid, .addressTaken: content.problems[fields["address"] ?? "address"] = sentence
    case .nameInvalid: content.problems["name"] = sentence
    case .passwordTooShort, .passwordUnusable, .passwordCommon: content.problems["password"] = sentence
    case .credentialsWrong:
      if let field = fields["current"] {
        content.problems[field] = words.texts["passwordWrong"]
      } else {
        content.problem = sentence
      }
    case .linkInvalid, .notLoggedIn, .tooMany, .busy: content.problem = sentence
    }
    var response = Response.html(pages.html(name, words, content), status: problem.status)
    if case .tooMany(let seconds) = problem { response.headers["Retry-After"] = "\(seconds)" }
    return response
  }

  private static func values(of account: Account) -> [String: String] {
    ["address": account.address, "name": account.displayName]
  }

  private static func logInFirst() throws -> Response {
    try .redirect(to: AccountPaths.logIn + "?next=%2Faccount")
  }

  /// The language that a page is shown in: the address's `lang`, or else the browser's.
  static func words(of request: Request) -> Words {
    let accepted = (request.headers["accept-language"] ?? "").split(separator: ",").prefix(20)
      .map { $0.split(separator: ";").first.map { $0.trimming(while: \.isWhitespace) } ?? "" }
    return .preferred((request.query["lang"].map { [$0] } ?? []) + accepted)
  }

  /// Where somebody goes after logging in: a path of this server, or its first page.
  static func next(_ text: String?) -> String {
    guard let text, text.hasPrefix("/"), !text.hasPrefix("//"), text.utf8.count <= 2_048,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") })
    else { return "/" }
    return text
  }
}

extension AccountProblem {
  /// The status of a page that tells it.
  fileprivate var status: Int {
    switch self {
    case .tooMany: 429
    case .busy: 503
    case .linkInvalid: 404
    default: 422
    }
  }
}
