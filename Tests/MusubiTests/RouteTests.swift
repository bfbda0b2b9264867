// SPDX-License-Identifier: Apache-2.0
import Foundation
@testable import Musubi
import MusubiServer
import MusubiSession
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Routes` {
  private struct Vote: Codable, Equatable {
    var choice: String
    var weight: Int
  }

  private static func form(_ text: String, _ path: String = "/") -> Request {
    Request(
      .post, path, headers: ["content-type": "application/x-www-form-urlencoded; charset=utf-8"],
      body: Array(text.utf8))
  }

  private static func answer(
    to request: Request, _ answer: @escaping @Sendable (Request) async throws -> Response
  ) async -> Response {
    var application = Application()
    application.get(request.path, answer: answer)
    application.post(request.path, answer: answer)
    return await application.respond(to: request)
  }

  @Test func `that fail are told of once a second for each peer, whatever paths it invents`() async {
    let lines = Mutex<[String]>([])
    let ledger = PeerLedger()
    let answering = RouteAnswer(
      asking: nil, Logger { line in lines.withLock { $0.append(line) } }, ledger)
    let route = Route(
      method: .get, path: "/orders/<id>", permission: nil, isOpen: false, maxBodyBytes: nil, timeLimit: nil
    ) { _ in throw CancellationError() }

    let began = ContinuousClock.now
    for number in 0..<100 {
      let request = Request("/orders/\(number)", remoteAddress: "192.0.2.1")
      let response = await answering.response(of: route, to: request, of: [.address("192.0.2.1")])
      #expect(response.status == 500)
    }
    // A slow machine may be told of each second.
    let seconds = Int(began.duration(to: .now).components.seconds)

    let told = lines.withLock { $0 }
    #expect(told.count <= 1 + seconds)
    #expect(told.first?.contains("error route failed path=/orders/0 ") == true)
    #expect(told.first?.hasSuffix(" peer=a:192.0.2.1 count=1") == true)
    #expect(ledger.refusals.counts == ["route-failed": 100])
  }

  @Test func `do what follows a response, in order, when its stream has ended`() async {
    let (lines, add) = AsyncStream.makeStream(of: String.self)
    let response = await Self.answer(to: Request("/")) { _ in
      var response = Response.stream("text/plain") { writer in
        add.yield("sent")
        try await writer.write("tea")
      }
      response.afterwards { add.yield("one") }
      response.afterwards { add.yield("two") }
      return response
    }
    add.finish()

    #expect(response.text == "tea")
    #expect(await lines.reduce(into: []) { $0.append($1) } == ["sent", "one", "two"])
  }

  @Test(arguments: [false, true])
  func `do what they have called when the response was sent, also if they fail`(fails: Bool) async {
    let (lines, add) = AsyncStream.makeStream(of: String.self)
    let (gate, later) = AsyncStream.makeStream(of: Void.self)
    let response = await Self.answer(to: Request("/")) { _ in
      await RouteRun.afterwards { add.yield("called") }
      Task {
        for await _ in gate {}
        await RouteRun.afterwards { add.yield("at once") }
        add.finish()
      }
      add.yield("answered")
      if fails { throw HTTPError(404, "gone") }
      var response = Response.stream("text/plain") { _ in add.yield("sent") }
      response.afterwards { add.yield("own") }
      return response
    }
    later.finish()

    #expect(response.status == (fails ? 404 : 200))
    let sent = fails ? ["called"] : ["sent", "called", "own"]
    #expect(await lines.reduce(into: []) { $0.append($1) } == ["answered"] + sent + ["at once"])
  }

  // MARK: - Which route answers

  @Test func `answer by path and method, with what stands in the places`() async throws {
    var application = Application()
    application.get("/cups/<id>") { .text("cup \($0.parameters["id"] ?? "")") }
    application.get("/cups/new") { _ in .text("new cup") }
    application.post("/cups/<id>") { .text("write \($0.parameters["id"] ?? "")") }

    #expect(await application.respond(to: Request("/cups/7")).text == "cup 7")
    #expect(await application.respond(to: Request("/cups/new")).text == "new cup")
    #expect(await application.respond(to: Request(.post, "/cups/7")).text == "write 7")
    #expect(await application.respond(to: Request(.head, "/cups/7")).status == 200)
    #expect(await application.respond(to: Request("/cups/7/8")).status == 404)
    #expect(await application.respond(to: Request("/cups/")).status == 404)
    let refused = await application.respond(to: Request(.post, "/cups/new"))
    #expect(refused.status == 200 && refused.text == "write new")
  }

  @Test func `take all that follows, after those that say more`() async {
    var application = Application()
    application.get("/manual/<path...>") { .text("rest \($0.parameters["path"] ?? "")") }
    application.get("/manual/<page>") { .text("page \($0.parameters["page"] ?? "")") }
    application.get("/manual/all") { _ in .text("all") }
    application.get("/<shelf>/cups/<path...>") {
      .text("\($0.parameters["shelf"] ?? "") \($0.parameters["path"] ?? "")")
    }

    #expect(await application.respond(to: Request("/manual/a/b//c/")).text == "rest a/b//c/")
    #expect(await application.respond(to: Request("/manual/a")).text == "page a")
    #expect(await application.respond(to: Request("/manual/all")).text == "all")
    #expect(await application.respond(to: Request("/top/cups/a/b")).text == "top a/b")
    for path in ["/manual", "/manual/", "/other/a/b", "//cups/a"] {
      #expect(await application.respond(to: Request(path)).status == 404, "\(path)")
    }
  }

  @Test func `say which methods an address takes`() async {
    var application = Application()
    application.get("/cups") { _ in .text("") }

    let response = await application.respond(to: Request(.post, "/cups"))

    #expect(response.status == 405)
    #expect(response.headers["Allow"] == "GET, HEAD")
  }

  @Test(arguments: [
    ("/tea", "Route GET /tea: the screen at /tea has this path; give one of them another."),
    ("/<drink>", "Route GET /<drink>: the screen at /tea has this path; give one of them another."),
    ("/a.css", "Route GET /a.css: the public folder has a file at /a.css; give one of them another name."),
    (
      "/live/x",
      "Route GET /live/x: the server itself answers at /live/, /healthz and /readyz; take another path."
    ),
    (
      "tea", "Route GET tea: a path begins with a slash, and has no spaces and no parameters: \"/cups/<id>\"."
    ),
    ("/x<id>", "Route GET /x<id>: a place is a whole segment with a name of its own: \"/cups/<id>\"."),
    ("/ok/<id>", "Route GET /ok/<id>: another route has this path; give one of them another."),
    (
      "/<path...>",
      "Route GET /<path...>: the screen at /tea has this path; give one of them another."
    ),
    (
      "/<path...>/x",
      "Route GET /<path...>/x: a place for all that follows is the last segment: \"/manual/<path...>\"."
    ),
    ("/y/<...>", "Route GET /y/<...>: a place is a whole segment with a name of its own: \"/cups/<id>\"."),
  ])
  func `are checked when the application starts`(path: String, problem: String) {
    var application = Application()
    application.get("/ok/<other>") { _ in .text("") }
    application.get(path) { _ in .text("") }

    let error = #expect(throws: RouteError.self) {
      try application.table.check(
        pages: [PageRoute(path: "/tea", file: "tea.html")], filePaths: ["/a.css", "/tea"], echo: nil)
    }

    #expect(error?.description == problem)
  }

  @Test func `may take a form at the path of a page`() throws {
    var application = Application()
    application.post("/tea") { _ in .text("") }

    try application.table.check(
      pages: [PageRoute(path: "/tea", file: "tea.html")], filePaths: ["/tea"], echo: nil)
  }

  // MARK: - What requests bring

  @Test func `read the fields of a form`() throws {
    let form = try Self.form("name=Ada+L%C3%B6we&topping=a&topping=b&empty=&bare&odd=100%&=x").form

    #expect(form["name"] == "Ada Löwe")
    #expect(form.values(of: "topping") == ["a", "b"])
    #expect(form["empty"] == "" && form["bare"] == "" && form["none"] == nil)
    #expect(form["odd"] == "100%")
    #expect(try Self.form("").form.names.isEmpty)
  }

  @Test func `refuse forms that are none`() async {
    var multipart = Self.form("a=b")
    multipart.headers["content-type"] = "multipart/form-data; boundary=x"
    var nothing = Self.form("a=b")
    nothing.headers["content-type"] = nil
    let read: @Sendable (Request) async throws -> Response = { .text("\(try $0.form.names.count)") }

    #expect(await Self.answer(to: multipart, read).status == 415)
    #expect(await Self.answer(to: nothing, read).status == 415)
    #expect(await Self.answer(to: Self.form("a=%ff"), read).text == "The form is not UTF-8.\n")
    let many = Self.form(String(repeating: "a&", count: 1_001))
    #expect(await Self.answer(to: many, read).status == 400)
  }

  @Test func `read JSON, and say what does not fit`() async {
    let read: @Sendable (Request) async throws -> Response = { try .json($0.json(as: Vote.self)) }
    func answer(_ text: String, _ type: String = "application/json") async -> Response {
      await Self.answer(
        to: Request(.post, "/", headers: ["content-type": type], body: Array(text.utf8)), read)
    }

    let good = await answer(#"{"choice":"tea/a","weight":2}"#, "Application/JSON; charset=utf-8")
    #expect(
      good.text == #"{"choice":"tea/a","weight":2}"# && good.headers["Content-Type"] == "application/json")
    #expect(await answer("{", "text/plain").status == 415)
    let broken = await answer("{")
    #expect(broken.status == 400 && broken.text == "The body is not JSON.\n")
    #expect(await answer(#"{"choice":"tea"}"#).text == "The JSON has no \"weight\".\n")
    #expect(await answer(#"{"choice":2,"weight":2}"#).text == "The JSON has the wrong type at \"choice\".\n")
  }

  // MARK: - What responses say

  @Test func `redirect within the server alone`() async throws {
    #expect(try Response.redirect(to: "/tea?cup=2").headers["Location"] == "/tea?cup=2")
    #expect(try Response.redirect(to: "/茶").headers["Location"] == "/%E8%8C%B6")
    #expect(try Response.redirect(to: "/").status == 303)
    let external = try Response.redirect(to: "https://example.org/", external: true)
    #expect(external.headers["Location"] == "https://example.org/")
    for address in [
      "//example.org", "https://example.org", "/\\example.org", "/\t/example.org", "", "tea", "/a\r\nX: y",
      "javascript:alert(1)", "/a b",
    ] {
      let response = await Self.answer(to: Request("/")) { _ in try .redirect(to: address) }
      #expect(response.status == 400, "\(address)")
    }
  }

  @Test func `give cookies that scripts and other sites do not get`() throws {
    var response = Response.text("")
    response.setCookie("a", "1", maxAge: .seconds(60))
    response.setCookie("b", "2", path: "/b", isHTTPOnly: false, sameSite: .strict, isSecure: false)
    response.setCookie("a", "3")
    response.removeCookie("c")

    let cookies = try response.fields(isSecure: true).filter { $0.name == "Set-Cookie" }.map(\.value)

    #expect(
      cookies == [
        "b=2; Path=/b; SameSite=Strict", "a=3; Path=/; SameSite=Lax; HttpOnly; Secure",
        "c=; Path=/; SameSite=Lax; Max-Age=0; HttpOnly; Secure",
      ])
    #expect(
      try response.fields(isSecure: false).contains { $0.value == "a=3; Path=/; SameSite=Lax; HttpOnly" })
  }

  @Test(
    arguments: [
      { (response: inout Response) in response.headers["X-A"] = "a\r\nX-B: c" },
      { (response: inout Response) in response.headers["X-A"] = "a\nb" },
      { (response: inout Response) in response.headers["X A"] = "a" },
      { (response: inout Response) in response.headers["Content-Length"] = "5" },
      { (response: inout Response) in response.headers["transfer-encoding"] = "chunked" },
      { (response: inout Response) in response.setCookie("a", "b; Domain=example.org") },
      { (response: inout Response) in response.setCookie("a", "b\r\nX: y") },
      { (response: inout Response) in response.setCookie("a", "b", path: "/;x") },
      { (response: inout Response) in response.setCookie("a", String(repeating: "b", count: 4_096)) },
      { (response: inout Response) in response.status = 100 },
    ] as [@Sendable (inout Response) -> Void])
  func `never send a field that is read as another`(_ change: @escaping @Sendable (inout Response) -> Void)
    async
  {
    let answer = await Self.answer(to: Request("/")) { _ in
      var response = Response.text("fine")
      change(&response)
      return response
    }

    #expect(answer.status == 500)
    #expect(answer.cookies.isEmpty && answer.headers["X-A"] == nil)
  }

  @Test func `name downloads for every browser`() {
    func field(_ name: String) -> String? {
      Response.text("").download(as: name).headers["Content-Disposition"]
    }

    #expect(field("tea.csv") == #"attachment; filename="tea.csv""#)
    #expect(field("茶 1.csv") == #"attachment; filename="_ 1.csv"; filename*=UTF-8''%E8%8C%B6%201.csv"#)
    #expect(field("../a\"\r\nb") == #"attachment; filename=".._a___b""#)
    #expect(field("") == #"attachment; filename="download""#)
  }

  @Test func `send files and streams`() async throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString + ".csv").path
    let text = String(repeating: "0123456789", count: 20_000)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }

    let file = await Self.answer(to: Request("/")) { _ in try .file(path) }
    let missing = await Self.answer(to: Request("/")) { _ in try .file(path + "x") }
    let folder = await Self.answer(to: Request("/")) { _ in try .file("/tmp") }
    let stream = await Self.answer(to: Request("/")) { _ in
      .stream("text/plain") { writer in for number in 1...3 { try await writer.write("\(number);") } }
    }
    let broken = await Self.answer(to: Request("/")) { _ in
      .stream("text/plain") { _ in throw CancellationError() }
    }

    #expect(file.text == text)
    #expect(missing.status == 404 && folder.status == 404)
    #expect(stream.text == "1;2;3;")
    #expect(broken.status == 500)
  }

  // MARK: - Who may

  @Test func `turn what is thrown into answers`() async {
    struct Surprise: Error {}

    let denied = await Self.answer(to: Request("/")) { _ in throw Denied("Not you.") }
    let missing = await Self.answer(to: Request("/", headers: ["accept": "text/html"])) { _ in
      throw HTTPError(404, "No <tea> here.", retryAfter: 5)
    }
    let surprise = await Self.answer(to: Request("/")) { _ in throw Surprise() }

    #expect(denied.status == 401 && denied.text == "Not you.\n")
    #expect(missing.status == 404 && missing.headers["Retry-After"] == "5")
    #expect(missing.text.contains("<p>No &lt;tea> here.</p>"))
    #expect(surprise.status == 500 && !surprise.text.contains("Surprise"))
  }

  @Test func `ask for the permission before they answer`() async {
    var application = Application()
    application.get("/secret", for: .signedIn) { _ in .text("secret") }

    let response = await application.respond(to: Request("/secret"))

    #expect(response.status == 401)
    #expect(!response.text.contains("secret"))
  }

  @Test func `know the visitor, and send whom nobody knows to the log-in`() async {
    var application = Application()
    application.identifyVisitors { request in
      switch request.cookies["login"] {
      case "ada": return Visitor(id: "ada")
      case "bad": throw Denied("Your account is closed.")
      case "mute": throw Denied("")
      default: throw LogInRequired(at: "/login")
      }
    }
    application.get("/me") { .text($0.visitor.id ?? "nobody") }
    application.get("/login") { .text("log in, \($0.visitor.id ?? "nobody")") }
    application.get("/about", isOpen: true) { .text("about, \($0.visitor.id ?? "nobody")") }
    application.get("/list", for: .role("host")) { _ in .text("list") }
    let page = ["accept": "text/html,*/*"]
    func respond(_ path: String, _ cookie: String?, query: [String: String] = [:]) async -> Response {
      var headers = page
      headers["cookie"] = cookie.map { "login=\($0)" }
      return await application.respond(to: Request(path, query: query, headers: headers))
    }

    #expect(await respond("/me", "ada").text == "ada")
    let away = await respond("/me", nil, query: ["a": "1 2", "b": "ü"])
    #expect(away.status == 303)
    #expect(away.headers["Location"] == "/login?next=%2Fme%3Fa%3D1%25202%26b%3D%25C3%25BC")
    #expect(await application.respond(to: Request("/me")).status == 401)
    #expect(await respond("/login", nil).text == "log in, nobody")
    #expect(await respond("/about", "bad").text == "about, nobody")
    #expect(await respond("/about", "ada").text == "about, ada")
    let closed = await respond("/me", "bad")
    #expect(closed.status == 401 && closed.text.contains("Your account is closed."))
    let mute = await respond("/me", "mute")
    #expect(mute.status == 401 && mute.text.contains("<p>You are not allowed to open this page.</p>"))
    #expect(await respond("/list", "ada").status == 403)
  }
}
