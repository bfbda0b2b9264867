// SPDX-License-Identifier: Apache-2.0
import Foundation
@testable import Musubi
import Testing

@testable import MusubiAccounts

/// The pages of accounts in an application without a server, and a browser that keeps its cookie.
private struct Site {
  let test: TestAccounts
  var application = Application()
  var cookie: String?

  init(sendsLinks: Bool = false, requiresLogIn: Bool = false, publicFolder: String = "/nowhere") throws {
    test = try TestAccounts(sendsLinks: sendsLinks)
    application.configuration.publicFolder = publicFolder
    try test.accounts.install(in: &application, requiresLogIn: requiresLogIn)
  }

  func get(_ path: String, query: [String: String] = [:], language: String = "en") async -> Response {
    await send(Request(.get, path, query: query), language)
  }

  func post(_ path: String, _ fields: KeyValuePairs<String, String>, language: String = "en") async
    -> Response
  {
    let body = fields.map { "\(Self.encoded($0.key))=\(Self.encoded($0.value))" }.joined(separator: "&")
    return await send(Request(.post, path, body: Array(body.utf8)), language)
  }

  private func send(_ request: Request, _ language: String) async -> Response {
    var request = request
    request.headers["accept-language"] = language
    request.headers["content-type"] = "application/x-www-form-urlencoded"
    if let cookie { request.headers["cookie"] = "\(Accounts.cookie)=\(cookie)" }
    return await application.respond(to: request)
  }

  mutating func logIn(_ password: String = TestAccounts.password) async -> Response {
    let response = await post(
      "/login", ["address": "ann@tea.example", "password": password, "next": "/quiz?room=7"])
    if let token = response.token { cookie = token }
    return response
  }

  static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: "a"..."z")) ?? ""
  }
}

extension Response {
  /// The token that a browser is given.
  fileprivate var token: String? { cookies.first { $0.name == Accounts.cookie }?.value }
}

@Suite(.timeLimit(.minutes(5))) struct `Pages of accounts` {
  @Test func `log somebody in, and lead back`() async throws {
    var site = try Site()
    try await site.test.addAnn()

    let page = await site.get("/login", query: ["next": "/quiz?room=7"])
    let response = await site.logIn()
    let account = await site.get("/account")

    #expect(page.status == 200)
    #expect(page.text.contains(#"name="next" value="/quiz?room=7""#))
    #expect(page.text.contains(#"autocomplete="username""#))
    #expect(page.text.contains(#"autocomplete="current-password""#))
    #expect(response.status == 303)
    #expect(response.headers["Location"] == "/quiz?room=7")
    let cookie = try #require(response.cookies.first)
    #expect(cookie.isHTTPOnly && cookie.sameSite == .lax && cookie.path == "/" && cookie.isSecure == nil)
    #expect(account.text.contains("You are logged in as Ann (ann@tea.example)"))
  }

  @Test(arguments: [
    "//evil.example", "https://evil.example", "/\\evil.example", "/\t/evil.example", "evil", "",
  ])
  func `lead to no other server`(next: String) async throws {
    let site = try Site()
    try await site.test.addAnn()

    let page = await site.get("/login", query: ["next": next])
    let response = await site.post(
      "/login", ["address": "ann@tea.example", "password": TestAccounts.password, "next": next])

    #expect(page.text.contains(#"name="next" value="/""#))
    #expect(response.headers["Location"] == "/")
  }

  @Test func `keep what was typed, but no password, and say what is wrong`() async throws {
    let site = try Site()

    let wrong = await site.post("/login", ["address": "<b>@tea", "password": "secret words"])
    let short = await site.post(
      "/signup", ["address": "ann@tea.example", "name": #"An"n"#, "password": "secret"])

    #expect(wrong.status == 422)
    #expect(
      wrong.text.contains(
        #"<p class="problem" role="alert">Address and password do not belong together.</p>"#))
    #expect(wrong.text.contains(#"value="&lt;b&gt;@tea""#))
    #expect(!wrong.text.contains("secret"))
    #expect(short.status == 422)
    #expect(
      short.text.contains(#"<p class="problem" id="password-problem">Please take at least 8 characters.</p>"#)
    )
    #expect(
      short.text.contains(#"aria-describedby="password-hint password-problem" required aria-invalid="true""#))
    #expect(short.text.contains(#"value="An&quot;n""#))
    #expect(!short.text.contains(">secret<") && !short.text.contains(#""secret""#))
  }

  @Test func `answer the same for addresses with and without account`() async throws {
    let site = try Site(sendsLinks: true)
    try await site.test.addAnn()

    for path in ["/login", "/signup", "/forgotten"] {
      var answers: [String] = []
      for address in ["ann@tea.example", "bob@tea.example"] {
        let response = await site.post(path, ["address": address, "name": "A", "password": "wrong words"])
        answers.append(
          "\(response.status) \(response.headers) " + response.text.replacing(address, with: "ADDRESS"))
      }
      #expect(answers[0] == answers[1])
    }
  }

  @Test(arguments: [("ja,en;q=0.8", "ja", "ログイン"), ("de-DE, en-GB", "en", "Log in"), ("fr", "en", "Log in")])
  func `speak the browser's language`(accepted: String, language: String, title: String) async throws {
    let site = try Site()

    let page = await site.get("/login", language: accepted)
    let asked = await site.get("/login", query: ["lang": "ja"], language: accepted)

    #expect(page.text.contains("<html lang=\"\(language)\">"))
    #expect(page.text.contains("<h1>\(title)</h1>"))
    #expect(asked.text.contains(#"<html lang="ja">"#))
  }

  @Test func `have each word in both languages, and each place filled`() throws {
    let pages = try AccountPages(publicFolder: "/nowhere", for: TestAccounts().accounts)

    #expect(Set(Words.english.texts.keys) == Set(Words.japanese.texts.keys))
    for name in AccountPages.Name.allCases {
      for words in [Words.english, .japanese] {
        let page = pages.html(name, words, AccountPages.Content())
        #expect(page.contains("<h1>") && !page.contains("{"))
      }
    }
  }

  @Test func `change the password, which gives this browser another token`() async throws {
    var site = try Site()
    try await site.test.addAnn()
    _ = await site.logIn()
    let other = try await site.test.logInAnn()

    let wrong = await site.post("/account/password", ["old": "tea", "password": "rice and tea"])
    let right = await site.post(
      "/account/password", ["old": TestAccounts.password, "password": "rice and tea"])
    let before = site.cookie
    site.cookie = right.token

    #expect(wrong.text.contains(#"<p class="problem" id="old-problem">This is not your password.</p>"#))
    #expect(right.headers["Location"] == "/account?done=passwordChanged")
    #expect(right.token != nil && right.token != before)
    #expect(right.works.count == 1, "Open pages end when the browser has its new cookie.")
    #expect(try await site.test.loggedIn([other]) == [false])
    #expect(
      await site.get("/account", query: ["done": "passwordChanged"]).text.contains("Your password is changed")
    )
  }

  @Test func `change the address`() async throws {
    var site = try Site()
    try await site.test.addAnn()
    _ = await site.logIn()

    let wrong = await site.post("/account/address", ["new-address": "ann", "current": TestAccounts.password])
    let right = await site.post(
      "/account/address", ["new-address": "ann@rice.example", "current": TestAccounts.password])

    #expect(wrong.text.contains(#"id="new-address-problem""#))
    #expect(wrong.text.contains(#"value="ann""#))
    #expect(right.headers["Location"] == "/account?done=addressChanged")
    #expect(await site.get("/account").text.contains("ann@rice.example"))
  }

  @Test func `log out here, or everywhere`() async throws {
    var site = try Site()
    try await site.test.addAnn()
    let other = try await site.test.logInAnn()
    _ = await site.logIn()

    let here = await site.post("/logout", [:])
    let afterHere = await site.get("/account")
    #expect(try await site.test.loggedIn([other]) == [true])
    _ = await site.logIn()
    let everywhere = await site.post("/logout", ["everywhere": "yes"])

    #expect(here.headers["Location"] == "/login?done=loggedOut")
    #expect(here.cookies.first?.maxAge == .zero)
    #expect(afterHere.headers["Location"] == "/login?next=%2Faccount")
    #expect(everywhere.headers["Location"] == "/login?done=loggedOutEverywhere")
    #expect(try await site.test.loggedIn([other]) == [false])
  }

  @Test func `end the login that a browser had, when another one begins in it`() async throws {
    var site = try Site()
    try await site.test.addAnn()
    _ = await site.logIn()
    let before = site.cookie

    let response = await site.logIn()

    #expect(site.cookie != before)
    #expect(response.works.count == 1, "Its open pages end when the browser has its new cookie.")
    #expect(try await site.test.accounts.account(token: before) == nil)
    #expect(try await site.test.accounts.account(token: site.cookie) != nil)
  }

  @Test(arguments: ["change", "choose", "roles", "remove", "here", "everywhere", "failing"])
  func `of the author's own end open pages when the browser has its new cookie`(what: String) async throws {
    var site = try Site(sendsLinks: true)
    let (accounts, ann) = (site.test.accounts, try await site.test.addAnn())
    try await accounts.requestPassword(address: "ann@tea.example", from: "::1")
    await accounts.desk.settle()
    let link = try #require(site.test.sent.token)
    site.application.post("/own", isOpen: true) { request in
      let token = request.cookies[Accounts.cookie]
      switch what {
      case "choose": _ = try await accounts.choosePassword(token: link, password: "rice and tea", from: "::1")
      case "roles": try await accounts.setRoles(["guest"], of: ann.id)
      case "remove": try await accounts.remove(id: ann.id)
      case "here": try await accounts.logOut(token: token)
      case "everywhere": try await accounts.logOutEverywhere(id: ann.id)
      default:
        _ = try await accounts.changePassword(
          token: token, from: TestAccounts.password, to: "rice and tea", peer: "::1")
      }
      if what == "failing" { throw HTTPError(404, "Its page is gone.") }
      return .text("done")
    }
    _ = await site.logIn()

    let response = await site.post("/own", [:])

    #expect(response.status == (what == "failing" ? 404 : 200))
    #expect(response.works.count == 1)
    #expect(try await accounts.account(token: site.cookie) == nil || what == "roles")
  }

  @Test func `sign up with a link, whose page chooses the password`() async throws {
    var site = try Site(sendsLinks: true)

    let form = await site.get("/signup")
    let sent = await site.post("/signup", ["address": "ann@tea.example", "name": "Ann"])
    await site.test.accounts.desk.settle()
    let token = try #require(site.test.sent.token)
    let page = await site.get("/link", query: ["token": token])
    let short = await site.post("/link", ["token": token, "password": "tea"])
    let done = await site.post("/link", ["token": token, "password": TestAccounts.password])
    site.cookie = done.token
    let again = await site.get("/link", query: ["token": token])

    #expect(!form.text.contains(#"type="password""#))
    #expect(sent.text.contains("a mail is on its way"))
    #expect(page.text.contains(#"autocomplete="new-password""#))
    #expect(short.text.contains("Please take at least 8 characters."))
    #expect(done.headers["Location"] == "/")
    #expect(await site.get("/account").text.contains("Ann (ann@tea.example)"))
    #expect(again.status == 404)
    #expect(again.text.contains("used already, or is too old"))
  }

  @Test func `for links are there if links are sent, and those to sign up if that is allowed`() async throws {
    let without = try Site()
    let with = try Site(sendsLinks: true)
    var closed = Application()
    var accounts = try TestAccounts().accounts
    accounts.allowsSignUp = false
    try accounts.install(in: &closed)

    #expect(await without.get("/forgotten").status == 404)
    #expect(await without.get("/link").status == 404)
    #expect(await without.get("/login").text.contains("/forgotten") == false)
    #expect(await without.get("/login").text.contains("/signup"))
    #expect(await with.get("/forgotten").status == 200)
    #expect(await with.get("/login").text.contains("/forgotten"))
    #expect(await closed.respond(to: Request(.get, "/signup")).status == 404)
    #expect(await closed.respond(to: Request(.get, "/login")).text.contains("/signup") == false)
  }

  @Test func `say how long to wait`() async throws {
    var site = try Site()
    for _ in 1...5 { _ = await site.logIn("wrong words") }

    let response = await site.logIn("wrong words")

    #expect(response.status == 429)
    #expect(response.headers["Retry-After"] == "2")
    #expect(response.text.contains("Please try again in 2 seconds."))
  }

  @Test func `are the author's to replace`() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/accounts", withIntermediateDirectories: true)
    let file = folder.path + "/accounts/log-in.html"
    try #"<h1>Tea house</h1>{problem}<input name="address" value="{address}"> {}{ body }"#
      .write(toFile: file, atomically: true, encoding: .utf8)
    let site = try Site(publicFolder: folder.path)

    let page = await site.post("/login", ["address": "<ann>", "password": "wrong words"])
    try "<h1>{tea}</h1>".write(toFile: file, atomically: true, encoding: .utf8)

    #expect(
      page.text
        == #"<h1>Tea house</h1><p class="problem" role="alert">Address and password do not belong together."#
        + #"</p><input name="address" value="&lt;ann&gt;"> {}{ body }"#)
    #expect(throws: AccountPageError(path: file, place: "tea")) { try Site(publicFolder: folder.path) }
  }

  @Test func `have a style sheet, unless the author has one`() async throws {
    let folder = try TemporaryFolder()
    try "p {}".write(toFile: folder.path + "/accounts.css", atomically: true, encoding: .utf8)

    #expect(try await Site().get("/accounts.css").headers["Content-Type"] == "text/css; charset=utf-8")
    #expect(try await Site(publicFolder: folder.path).get("/accounts.css").status == 404)
  }
}
