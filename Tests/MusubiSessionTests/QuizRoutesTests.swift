// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryAPI
@testable import GalleryScreens
import Musubi
import PostgresServers
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The log-in of the gallery` {
  private let application: Application

  init() throws {
    var application = Application()
    try Gallery.addLogIn(to: &application)
    application.get("/who") { request in
      .text("\(request.visitor.id ?? "nobody") \(request.visitor.displayName ?? "")")
    }
    self.application = application
  }

  private func logIn(_ form: String, next: String? = nil) async -> Response {
    let query = next.map { ["next": $0] } ?? [:]
    let headers = ["content-type": "application/x-www-form-urlencoded"]
    return await application.respond(
      to: Request(.post, "/log-in.html", query: query, headers: headers, body: Array(form.utf8)))
  }

  private func visitor(_ cookie: String) async -> String {
    await application.respond(to: Request("/who", headers: ["cookie": "person=\(cookie)"])).text
  }

  @Test func `gives a sealed cookie that no script reads, and leads on`() async throws {
    let response = await logIn("person=Ann", next: "/quiz?room=12345678")
    #expect(response.status == 303)
    #expect(response.headers["Location"] == "/quiz?room=12345678")
    let cookie = try #require(response.cookies.first)
    #expect(cookie.isHTTPOnly && cookie.sameSite == .lax)
    #expect(await visitor(cookie.value) == "ann Ann")
    #expect(await logIn("person=Ann").headers["Location"] == "/play.html")
  }

  @Test func `gives each guest an id that nobody else has`() async throws {
    let cookies = [await logIn("name=+Emma+%E7%B5%90+"), await logIn("name=Emma+%E7%B5%90")].map {
      $0.cookies.first?.value ?? ""
    }
    let visitors = [await visitor(cookies[0]), await visitor(cookies[1])]
    #expect(Set(visitors).count == 2)
    for visitor in visitors {
      #expect(visitor.hasPrefix("guest ") && visitor.hasSuffix(" Emma 結"), "\(visitor)")
    }
  }

  @Test func `believes no cookie that somebody has written`() async throws {
    let sealed = try #require(await logIn("person=Bob").cookies.first).value
    // Not the last character: some of its bits stand for nothing.
    let changed = (sealed.hasPrefix("A") ? "B" : "A") + sealed.dropFirst()
    for forged in ["", "Ann", "ann", changed, String(sealed.dropLast(5)), "{\"id\":\"ann\"}"] {
      #expect(await visitor(forged) == "nobody ", "\(forged)")
    }
  }

  @Test(arguments: [
    "person=Root", "person=", "name=", "name=++", "name=" + String(repeating: "x", count: 41),
    "name=e" + String(repeating: "%CC%81", count: 200), "", "name=%C3",
  ]) func `takes no other account and no strange name`(form: String) async {
    let response = await logIn(form)
    #expect(response.status == 400)
    #expect(response.cookies.isEmpty)
  }

  @Test(arguments: ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example", ""])
  func `leads to no other server`(next: String) async {
    let response = await logIn("person=Ann", next: next)
    #expect(response.status == 400)
    #expect(response.cookies.isEmpty)
  }

  @Test func `ends when somebody logs out, or in as somebody else, whatever cookie a page still has`()
    async throws
  {
    for path in ["/log-out", "/log-in.html"] {
      let cookie = try #require(await logIn("person=Ann").cookies.first).value
      let other = try #require(await logIn("person=Ann").cookies.first).value
      let headers = ["content-type": "application/x-www-form-urlencoded", "cookie": "person=\(cookie)"]
      let response = await application.respond(
        to: Request(.post, path, headers: headers, body: Array("person=Bob".utf8)))
      #expect(response.status == 303)
      #expect(await visitor(cookie) == "nobody ")
      #expect(await visitor(other) == "ann Ann", "It is another browser's.")
      if path == "/log-in.html" {
        #expect(await visitor(try #require(response.cookies.first).value) == "bob Bob")
      }
    }
  }

  @Test func `ends with the cookie`() async throws {
    let response = await application.respond(to: Request(.post, "/log-out"))
    #expect(response.headers["Location"] == "/play.html")
    let cookie = try #require(response.cookies.first)
    #expect(cookie.name == "person" && cookie.value.isEmpty && cookie.maxAge == .zero)
  }
}

@Suite(.timeLimit(.minutes(5))) struct `The ways to a quiz` {
  private let application: Application

  init() throws {
    var application = Application()
    QuizScreens.add(to: &application, nil)
    self.application = application
  }

  @Test func `lead to a room whose name nobody guesses`() async throws {
    var rooms: Set<Substring> = []
    for _ in 1...100 {
      let location = try #require(await application.respond(to: Request("/quiz/new")).headers["Location"])
      rooms.insert(try #require(location.wholeMatch(of: /\/quiz\?room=([A-Za-z0-9_-]{22})/)).1)
    }
    #expect(rooms.count == 100)
    #expect(await application.respond(to: Request("/play")).headers["Location"] == "/play.html")
  }

  @Test func `say that a code is wrong, and slow down who tries many, by the address`() async throws {
    func join(_ code: String, from address: String) async -> String? {
      let headers = ["content-type": "application/x-www-form-urlencoded"]
      let request = Request(
        .post, "/quiz/join", headers: headers, remoteAddress: address, body: Array("code=\(code)".utf8))
      return await application.respond(to: request).headers["Location"]
    }
    for _ in 1...20 { #expect(await join("00000000", from: "192.0.2.7") == "/play.html#unknown") }
    #expect(await join("00000000", from: "192.0.2.7") == "/play.html#wait")
    #expect(await join("", from: "192.0.2.8") == "/play.html#unknown")
    for place in 1...20 { _ = await join("1", from: "2001:db8::\(place)") }
    #expect(await join("1", from: "2001:db8::99") == "/play.html#wait", "They are of one network.")
  }
}

@Suite(.timeLimit(.minutes(5))) struct `The gallery while the database of its cluster is away` {
  @Test func `says so to who joins a quiz or logs out, as often as somebody asks`() async throws {
    guard let server = PostgresServer.start() else { return }
    var application = Application()
    application.configuration.clusterURL = try server.newDatabase()
    QuizScreens.add(to: &application, try .ofCluster(application))
    try Gallery.addLogIn(to: &application)
    func post(_ path: String, _ form: String, cookie: String = "") async -> Response {
      let headers = ["content-type": "application/x-www-form-urlencoded", "cookie": cookie]
      let body = Array(form.utf8)
      return await application.respond(
        to: Request(.post, path, headers: headers, remoteAddress: "192.0.2.7", body: body))
    }
    let cookie = try #require(await post("/log-in.html", "person=Ann").cookies.first).value
    #expect(await post("/quiz/join", "code=1").headers["Location"] == "/play.html#unknown")
    server.kill()

    var answers = [await post("/log-out", "", cookie: "person=\(cookie)")]
    for _ in 1...30 { answers.append(await post("/quiz/join", "code=1")) }

    for answer in answers {
      #expect(answer.status == 503 && answer.headers["Retry-After"] != nil)
      #expect(answer.text.contains("The database cannot be reached at the moment"))
    }
  }
}

@Suite(.timeLimit(.minutes(5))) struct `The picture of a quiz's address` {
  private let application: Application

  init() throws {
    var application = Application()
    QuizScreens.add(to: &application, nil)
    self.application = application
  }

  private func picture(_ code: String?, host: String? = "localhost:8080", isSecure: Bool = false) async
    -> Response
  {
    var request = Request(
      "/quiz/code.svg", query: code.map { ["room": $0] } ?? [:], headers: host.map { ["host": $0] } ?? [:])
    request.isSecure = isSecure
    return await application.respond(to: request)
  }

  @Test func `says the address, as the browser calls the server`() async throws {
    let response = await picture("tea-7", host: "localhost:80")
    #expect(response.headers["Content-Type"] == "image/svg+xml")
    let symbol = try #require(QRSymbol(svg: response.text))
    #expect(symbol.hasFinders)
    #expect(symbol.text == "http://localhost:80/quiz?room=tea-7")
    #expect(await picture("tea-7", host: "localhost:80").text == response.text)
    #expect(await picture("tea-8", host: "localhost:80").text != response.text)
    let secure = await picture("00000000", host: "tea.example", isSecure: true).text
    #expect(QRSymbol(svg: secure)?.text == "https://tea.example/quiz?room=00000000")
    let long = try #require(QRSymbol(svg: await picture(RoomName.unguessable()).text))
    #expect(long.hasFinders)
  }

  @Test(arguments: [nil, "", "a b", "a&room=b", "結び", "<script>", String(repeating: "a", count: 65)])
  func `is there for names alone that an address takes as they are`(room: String?) async {
    #expect(await picture(room).status == 404)
  }

  @Test func `is refused without a server's name, or with a long one`() async throws {
    for host in [nil, "", String(repeating: "a", count: 262)] {
      #expect(await picture("12345678", host: host).status == 400)
    }
    let longest = await picture("12345678", host: String(repeating: "a", count: 261)).text
    #expect(try #require(QRSymbol(svg: longest)).hasFinders)
    #expect(longest.utf8.count < 100_000)
    #expect(QRPicture(of: String(repeating: "a", count: 3_000)) == nil)
  }
}

/// A QR code as a reader sees it: the dark modules of a picture (ISO/IEC 18004).
private struct QRSymbol {
  private var dark: Set<[Int]> = []
  private let side: Int

  /// Reads the runs of a path, such as `M0 0h7v1h-7z`, which must lie in the picture within a quiet zone of 4 modules.
  init?(svg: String) {
    guard let box = svg.firstMatch(of: /viewBox="-4 -4 ([0-9]+) ([0-9]+)"/), box.1 == box.2,
      let width = Int(box.1), let path = svg.firstMatch(of: /path d="([^"]*)"/)?.1
    else { return nil }
    side = width - 8
    for run in path.split(separator: "z") {
      guard let parts = run.wholeMatch(of: /M([0-9]+) ([0-9]+)h([0-9]+)v1h-([0-9]+)/), parts.3 == parts.4,
        let column = Int(parts.1), let row = Int(parts.2), let length = Int(parts.3),
        column + length <= side, row < side
      else { return nil }
      for place in column..<(column + length) { dark.insert([row, place]) }
    }
  }

  private func isDark(_ row: Int, _ column: Int) -> Bool { dark.contains([row, column]) }

  /// Whether three corners have a ring, a gap and a core, and light modules around.
  var hasFinders: Bool {
    [(0, 0), (0, side - 7), (side - 7, 0)].allSatisfy { top, left in
      (-1...7).allSatisfy { row in
        (-1...7).allSatisfy { column in
          let ring = max(abs(row - 3), abs(column - 3))
          return isDark(top + row, left + column) == (ring != 2 && ring != 4)
        }
      }
    }
  }

  /// The text of a version 3 symbol of bytes, whose code words are one block; its error correction is not looked at.
  var text: String? {
    guard side == 29 else { return nil }
    // The first bits beside the finder: the level, here M, and the mask; they are masked themselves (section 7.9).
    let format = (0..<5).reduce(0) { $0 << 1 | (isDark(8, $1) ? 1 : 0) } ^ 0b10101
    guard format >> 3 == 0 else { return nil }
    let bits = words(mask: format & 7)
    func number(_ start: Int, _ count: Int) -> Int {
      bits[start..<(start + count)].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }
    guard number(0, 4) == 0b0100 else { return nil }
    return String(
      validating: (0..<number(4, 8)).map { UInt8(number(12 + 8 * $0, 8)) }, as: UTF8.self)
  }

  /// The bits in the order of the zigzag (section 7.7.3), without their mask (section 7.8.2).
  private func words(mask: Int) -> [Bool] {
    var bits: [Bool] = []
    var isUpward = true
    for right in [28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 5, 3, 1] {
      for step in 0..<side {
        let row = isUpward ? side - 1 - step : step
        for column in [right, right - 1] where !isPattern(row, column) {
          bits.append(isDark(row, column) != Self.isMasked(mask, row, column))
        }
      }
      isUpward.toggle()
    }
    return bits
  }

  private func isPattern(_ row: Int, _ column: Int) -> Bool {
    let isCorner = row < 9 && (column < 9 || column >= side - 8) || row >= side - 8 && column < 9
    let isAlignment = (20...24).contains(row) && (20...24).contains(column)
    return isCorner || isAlignment || row == 6 || column == 6
  }

  private static func isMasked(_ mask: Int, _ row: Int, _ column: Int) -> Bool {
    let product = row * column
    return switch mask {
    case 0: (row + column) % 2 == 0
    case 1: row % 2 == 0
    case 2: column % 3 == 0
    case 3: (row + column) % 3 == 0
    case 4: (row / 2 + column / 3) % 2 == 0
    case 5: product % 2 + product % 3 == 0
    case 6: (product % 2 + product % 3) % 2 == 0
    default: ((row + column) % 2 + product % 3) % 2 == 0
    }
  }
}
