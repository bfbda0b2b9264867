// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import MusubiServer

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Static files` {
  static let script = String(repeating: "export const answer = 42;\n", count: 200)
  static let files = [
    "number.html": "<title>number</title>", "musubi/app.js": script, "style.css": "a{}",
    "image.svg": "<svg/>",
    "module.wasm": "\u{0}asm", "site.webmanifest": "{}", ".secret": "hidden",
  ]
  static let routes = [
    PageRoute(path: "/number", file: "number.html"), PageRoute(path: "/number-alone", file: "number.html"),
    PageRoute(path: "/contents/<id>", file: "number.html"),
  ]

  /// A file of the client as it lies in the repository.
  private static func client(_ path: String) throws -> String {
    let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(
      contentsOf: repository.appending(path: "Sources/BrowserClient/" + path), encoding: .utf8)
  }

  @Test(arguments: [
    ("/", "text/html; charset=utf-8", "<h1>index</h1>"),
    ("/number", "text/html; charset=utf-8", "<title>number</title>"),
    ("/number-alone", "text/html; charset=utf-8", "<title>number</title>"),
    ("/contents/17", "text/html; charset=utf-8", "<title>number</title>"),
    ("/number?room=x", "text/html; charset=utf-8", "<title>number</title>"),
    ("/%6Eumber", "text/html; charset=utf-8", "<title>number</title>"),
    ("/style.css", "text/css; charset=utf-8", "a{}"),
    ("/image.svg", "image/svg+xml", "<svg/>"),
    ("/musubi/app.js", "text/javascript; charset=utf-8", script),
    ("/site.webmanifest", "application/manifest+json", "{}"),
  ])
  func `a path shows its file with its type`(_ path: String, _ type: String, _ text: String) async throws {
    try await LiveServer.with(routes: Self.routes, files: Self.files) { live in
      let response = try live.client().get(path)

      #expect(response.status == 200)
      #expect(response.headers["content-type"] == type)
      #expect(response.text == text)
    }
  }

  @Test func `every response is guarded by security header fields`() async throws {
    try await LiveServer.with { live in
      let client = try live.client()

      for response in [try client.get("/"), try client.get("/missing"), try client.get("/live/known")] {
        #expect(response.headers["x-content-type-options"] == "nosniff")
        #expect(response.headers["referrer-policy"] == "same-origin")
        #expect(response.headers["cross-origin-opener-policy"] == "same-origin")
        let policy = response.headers["content-security-policy"] ?? ""
        #expect(policy.contains("default-src 'self'; connect-src 'self' ws://localhost wss://localhost; "))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(policy.hasSuffix("; trusted-types 'none'; require-trusted-types-for 'script'"))
        #expect(response.headers["x-frame-options"] == "DENY")
        #expect(!policy.contains("unsafe"))
      }
    }
  }

  @Test func `a server's own sources stand in the policy of each response`() async throws {
    var headers = SecurityHeaders()
    headers.images = ["https://tiles.example"]
    headers.connect = ["wss://quotes.example"]
    headers.fonts = ["data:"]
    headers.scripts = ["'sha256-1'"]
    headers.frameAncestors = ["https://pages.example"]
    headers.trustedTypes = ["leaflet", "chart"]
    try await LiveServer.with({ $0.securityHeaders = headers }) { live in
      for path in ["/", "/missing"] {
        let response = try live.client().get(path)

        #expect(
          response.headers["content-security-policy"]
            == "default-src 'self'; connect-src 'self' ws://localhost wss://localhost wss://quotes.example; "
            + "img-src 'self' data: https://tiles.example; font-src 'self' data:; script-src 'self' 'sha256-1'; "
            + "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors https://pages.example; "
            + "trusted-types leaflet chart; require-trusted-types-for 'script'")
        #expect(response.headers["x-frame-options"] == nil, "It knows no list of sites.")
      }
    }
  }

  @Test func `a page may be shown in frames of its own server`() async throws {
    try await LiveServer.with({ $0.securityHeaders.frameAncestors = ["'self'"] }) { live in
      let response = try live.client().get("/")

      #expect(response.headers["content-security-policy"]?.contains("frame-ancestors 'self';") == true)
      #expect(response.headers["x-frame-options"] == "SAMEORIGIN")
    }
  }

  @Test func `a browser that has the file hears 304`() async throws {
    try await LiveServer.with(files: Self.files) { live in
      let client = try live.client()
      let first = try client.get("/style.css")
      let etag = first.headers["etag"] ?? ""

      let again = try client.get("/style.css", headers: ["If-None-Match: \"other\", W/\(etag)"])
      let other = try client.get("/style.css", headers: ["If-None-Match: \"other\""])

      #expect(etag.hasPrefix("\"") && etag.hasSuffix("\""))
      #expect(again.status == 304)
      #expect(again.headers["etag"] == etag)
      #expect(again.headers["cache-control"] == "no-cache")
      #expect(other.status == 200)
    }
  }

  @Test func `a picture is a browser's for a day, and asked for each time while an author changes it`()
    async throws
  {
    for (isDevelopment, rule) in [(false, "public, max-age=86400"), (true, "no-cache")] {
      try await LiveServer.with({ $0.isDevelopment = isDevelopment }, files: Self.files) { live in
        let response = try live.client().get("/image.svg")

        #expect(response.headers["cache-control"] == rule)
      }
    }
  }

  @Test func `in development a changed picture is asked for each time, too`() throws {
    let folder = try TemporaryFolder()
    try folder.write("<svg/>", to: "image.svg")
    var files = try StaticFiles(root: folder.path, routes: [])
    files.isDevelopment = true
    var looks = FolderLooks()
    try folder.write("<svg></svg>", to: "image.svg")
    _ = try files.reloaded(after: &looks)

    #expect(try files.reloaded(after: &looks)?.isDevelopment == true)
  }

  @Test func `who accepts gzip gets fewer bytes under another tag`() async throws {
    try await LiveServer.with(files: Self.files) { live in
      let client = try live.client()

      let plain = try client.get("/musubi/app.js")
      let small = try client.get("/musubi/app.js", headers: ["Accept-Encoding: br, gzip;q=0.8"])
      let unwanted = try client.get("/musubi/app.js", headers: ["Accept-Encoding: gzip;q=0"])

      #expect(small.headers["content-encoding"] == "gzip")
      #expect(small.headers["vary"] == "Accept-Encoding")
      #expect(Array(small.body.prefix(2)) == [0x1F, 0x8B])
      #expect(small.body.count < plain.body.count / 10)
      #expect(small.headers["etag"] != plain.headers["etag"])
      #expect(unwanted.headers["content-encoding"] == nil)
    }
  }

  @Test func `HEAD is answered without a body, and the connection goes on`() async throws {
    try await LiveServer.with(files: Self.files) { live in
      let client = try live.client()

      let head = try client.get("/musubi/app.js", method: "HEAD")
      let next = try client.get("/style.css")

      #expect(head.status == 200)
      #expect(head.headers["content-length"] == "\(Self.script.utf8.count)")
      #expect(next.text == "a{}")
    }
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
  func `other methods are refused`(_ method: String) async throws {
    try await LiveServer.with { live in
      let response = try live.client().get("/", method: method, headers: ["Content-Length: 0"])

      #expect(response.status == 405)
      #expect(response.headers["allow"] == "GET, HEAD")
    }
  }

  @Test(arguments: [
    "/../etc/passwd", "/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "/outside.txt", "/.secret",
    "/musubi/../.secret",
    "/%252e%252e/etc/passwd", "/musubi", "/missing", "//etc/passwd", "/folder/hosts",
  ])
  func `nothing outside of the table is found`(_ path: String) async throws {
    try await LiveServer.with(files: Self.files) { live in
      live.folder.link("outside.txt", to: "/etc/hostname")
      live.folder.link("folder", to: "/etc")
      let files = try StaticFiles(root: live.folder.path, routes: [])
      live.server.replaceFiles(by: files)

      let response = try live.client().get(path)

      #expect(response.status == 404)
      #expect(!response.text.contains("root:"))
    }
  }

  @Test func `the folder's own page says that nothing is there`() async throws {
    try await LiveServer.with(files: ["404.html": "<h1>nothing</h1>"]) { live in
      let response = try live.client().get("/missing")

      #expect(response.status == 404)
      #expect(response.text == "<h1>nothing</h1>")
    }
  }

  @Test func `a large file arrives whole on a slow line`() async throws {
    let large = String(repeating: "0123456789abcdef", count: 200_000)
    try await LiveServer.with(files: ["large.bin": large]) { live in
      let client = try ClientSocket(port: live.port, receiveBufferBytes: 4_096)

      let first = try client.get("/large.bin")
      let second = try client.get("/")

      #expect(first.text == large)
      #expect(second.status == 200)
    }
  }

  @Test func `requests sent at once are answered one after the other`() async throws {
    try await LiveServer.with(files: Self.files) { live in
      let client = try live.client()

      try client.send(
        "GET /style.css HTTP/1.1\r\nHost: a\r\n\r\nGET /missing HTTP/1.1\r\nHost: a\r\n\r\n"
          + "GET /image.svg HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")

      #expect(try [client.readResponse().status, client.readResponse().status] == [200, 404])
      #expect(try client.readResponse().text == "<svg/>")
      #expect(try client.isAtEnd())
    }
  }

  @Test func `health and readiness are told in one word each`() async throws {
    try await LiveServer.with { live in
      let client = try live.client()
      let health = try client.get("/healthz")
      let readiness = try client.get("/readyz")

      #expect(health.status == 200 && health.text == "ok\n")
      #expect(readiness.status == 200 && readiness.text == "ready\n")
    }
  }

  @Test func `a server that drains is well, and not ready`() throws {
    let folder = try TemporaryFolder()
    let site = Site(files: try StaticFiles(root: folder.path, routes: []))
    let answers = ["/healthz", "/readyz"].map { path in
      let answer = site.response(to: HTTPRequest(path: path), readiness: .restarting)
      return "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
    }

    #expect(answers == ["200 ok\n", "503 restarting\n"])
  }

  @Test func `changed files are read again once they rest, unchanged ones are not`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("one", to: "index.html")
    let files = try StaticFiles(root: folder.path, routes: [])

    var looks = FolderLooks()
    let unchanged = try files.reloaded(after: &looks)
    // An editor empties the file first.
    try folder.write("", to: "index.html")
    let empty = try files.reloaded(after: &looks)
    try folder.write("another", to: "index.html")
    let written = try files.reloaded(after: &looks)
    let rested = try files.reloaded(after: &looks)

    #expect(unchanged == nil)
    #expect(empty == nil)
    #expect(written == nil)
    #expect(rested?.htmlPages.first?.text == "another")
  }

  @Test func `the client is a part of the server, as its files in the repository are`() async throws {
    try await LiveServer.with { live in
      let scripts = [
        "musubi.js", "musubi-more.js", "musubi-move.js", "musubi-connection.js", "musubi-select.js",
        "musubi-upload.js", "musubi-append.js", "musubi-ids.js", "musubi-window.js", "musubi-carets.js",
        "musubi/dev.js", "musubi/shapes.js", "musubi/problem.js", "musubi/problem-page.js",
      ]
      for path in scripts + ["musubi/types.d.ts", "musubi-base.css", "musubi-parts.css"] {
        let text = try Self.client(path)
        let response = try live.client().get("/" + path)
        let compressed = try live.client().get("/" + path, headers: ["Accept-Encoding: gzip"])

        #expect(response.status == 200)
        #expect(response.text == text)
        let type = ["js": "text/javascript", "ts": "text/plain", "css": "text/css"][
          String(path.split(separator: ".").last ?? "")]
        #expect(response.headers["content-type"] == (type ?? "") + "; charset=utf-8")
        #expect(response.headers["etag"] != nil)
        #expect(response.headers["content-security-policy"] != nil)
        #expect(compressed.headers["content-encoding"] == "gzip")
        #expect(compressed.body.count < text.utf8.count * 4 / 5)
      }
    }
  }

  @Test
  func `a copy of another client in the folder is not served, and named; one of this client does no harm`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write("old", to: "musubi.js")
    try folder.write(Self.client("musubi-base.css"), to: "musubi-base.css")
    try folder.write("mine", to: "musubi/mine.js")
    let files = try StaticFiles(root: folder.path, routes: [])
    let site = Site(files: files)

    #expect(files.hidden == ["musubi.js"])
    #expect(site.response(to: HTTPRequest(path: "/musubi.js"), readiness: .ready).body.count > 10_000)
    #expect(
      site.response(to: HTTPRequest(path: "/musubi/mine.js"), readiness: .ready).body == Array("mine".utf8))
  }

  @Test func `a missing folder or page is one clear sentence`() throws {
    let folder = try TemporaryFolder()

    let noFolder = #expect(throws: ServerError.self) {
      try StaticFiles(root: folder.path + "/none", routes: [])
    }
    let noPage = #expect(throws: ServerError.self) { try StaticFiles(root: folder.path, routes: Self.routes) }

    #expect(noFolder?.description.contains("--public") == true)
    #expect(noPage?.description.contains("\"number.html\"") == true)
  }

  private static let layout =
    "<html><head><title>Shop</title></head><body><header>Shop</header><main></main></body></html>"
  private static let page =
    "<html data-layout=\"_layout.html\">\n<head></head>\n<body><main data-use=\"tea\"></main></body></html>"
  private static let whole =
    "<html><head><title>Shop</title></head><body><header>Shop</header><main><i>Tea</i></main></body></html>"

  /// A folder with a page of a layout and a fragment, and one of neither.
  private static func folderOfParts() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(layout, to: "_layout.html")
    try folder.write("<template data-fragment=\"tea\"><i>Tea</i></template>", to: "parts/_tea.html")
    try folder.write(page, to: "tea.html")
    try folder.write("<title>number</title>\r\n<!-- data-use -->", to: "number.html")
    try folder.write("a{}", to: "_style.css")
    return folder
  }

  @Test func `a page is put together before it is sent, and its parts are not sent`() async throws {
    let folder = try Self.folderOfParts()
    let files = try StaticFiles(root: folder.path, routes: [PageRoute(path: "/tea", file: "tea.html")])
    let site = Site(files: files)
    func answer(_ path: String) -> String {
      let response = site.response(to: HTTPRequest(path: path), readiness: .ready)
      return "\(response.status) \(String(decoding: response.body, as: UTF8.self))"
    }

    #expect(answer("/tea") == "200 " + Self.whole && answer("/tea.html") == "200 " + Self.whole)
    #expect(answer("/number.html") == "200 <title>number</title>\r\n<!-- data-use -->")
    #expect(answer("/_style.css") == "200 a{}")
    for path in ["/_layout.html", "/parts/_tea.html"] { #expect(answer(path).hasPrefix("404 ")) }
    let title = try #require(PageReader.elements(of: "<title></title>").first)
    #expect(files.origin(of: title, in: "/number.html") == nil)
  }

  @Test func `a file server gets the same files, without the parts`() throws {
    let folder = try Self.folderOfParts()
    let contents = try StaticFiles(root: folder.path, routes: []).contents
    let own = contents.filter { !$0.path.hasPrefix("musubi") }

    #expect(own.map(\.path) == ["_style.css", "number.html", "tea.html"])
    #expect(own.last.map { String(decoding: $0.body, as: UTF8.self) } == Self.whole)
    #expect(contents.contains { $0.path == "musubi.js" && $0.body.count > 10_000 })

    // A route is the index of a folder; one with a place in its path is nothing.
    let routes = [
      ("/", "tea.html"), ("/pots/tea", "tea.html"), ("/number.html", "tea.html"), ("/teas/<id>", "tea.html"),
    ]
    let routed = try StaticFiles(root: folder.path, routes: routes.map { PageRoute(path: $0, file: $1) })
      .contents
    let pages = routed.filter { $0.path.hasSuffix(".html") }
    #expect(pages.map(\.path) == ["index.html", "number.html", "pots/tea/index.html", "tea.html"])
    #expect(pages.allSatisfy { String(decoding: $0.body, as: UTF8.self) == Self.whole })
  }

  @Test func `a page that cannot be put together is one sentence with file and line, also as a route`() throws
  {
    let folder = try Self.folderOfParts()
    let route = PageRoute(path: "/shop", file: "_layout.html")
    let part = #expect(throws: ServerError.self) { try StaticFiles(root: folder.path, routes: [route]) }
    try folder.write("\n<p data-use=\"coffee\"></p>", to: "number.html")
    let broken = #expect(throws: ServerError.self) { try StaticFiles(root: folder.path, routes: []) }

    #expect(part?.description.contains("_layout.html\", which is a part of pages") == true)
    #expect(
      broken?.description
        == "\(folder.path)/number.html:2: there is no fragment \"coffee\"; there are bar-chart, line-chart, tea."
    )
    #expect(broken?.pages.map(\.place.line) == [2])
  }

  @Test func `a changed layout changes its pages, and a broken one leaves them`() throws {
    let folder = try Self.folderOfParts()
    let files = try StaticFiles(root: folder.path, routes: [])
    var looks = FolderLooks()
    func reloaded() throws -> String? {
      _ = try files.reloaded(after: &looks)
      return try files.reloaded(after: &looks)?.htmlPages.last?.text
    }

    try folder.write(Self.layout.replacing("Shop", with: "Tea house"), to: "_layout.html")
    let changed = try reloaded()
    try folder.write("<main>", to: "_layout.html")
    let broken = #expect(throws: ServerError.self) { try reloaded() }

    #expect(changed == Self.whole.replacing("Shop", with: "Tea house"))
    #expect(broken?.pages.first?.place.file == "_layout.html")

    // Nobody reads it again as it is, and everybody as it becomes.
    #expect(try reloaded() == nil)
    try folder.write("<main></main>", to: "_layout.html")
    #expect(throws: ServerError.self) { try reloaded() }
    try folder.write(Self.layout.replacing("Shop", with: "Cups"), to: "_layout.html")
    #expect(try reloaded() == Self.whole.replacing("Shop", with: "Cups"))
  }

  @Test func `in development a changed file is shown, and told of`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("one", to: "index.html")
    var configuration = ServerConfiguration()
    configuration.port = 0
    configuration.isDevelopment = true
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
    let site = Site(files: try StaticFiles(root: folder.path, routes: []))
    let server = Server(
      configuration: configuration, site: site, logger: Logger(level: .error),
      onFilesChanged: { continuation.yield() },
      service: { CommandService(loop: $0, record: ServiceRecord()) })
    try server.start()

    try folder.write("another", to: "index.html")
    for await _ in changes { break }

    #expect(try ClientSocket(port: server.port).get("/").text == "another")
    await server.stop()
  }
}
