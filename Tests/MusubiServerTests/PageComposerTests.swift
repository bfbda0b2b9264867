// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import MusubiServer

@Suite struct `Pages from layouts and fragments` {
  private static let layout = """
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <title>Shop</title>
        <meta name="description" content="A shop">
        <link rel="stylesheet" href="/shop.css">
      </head>
      <body class="shop">
        <header>Shop</header>
        <main>Nothing yet</main>
        <p role="status"></p>
      </body>
    </html>

    """

  private static func page(_ main: String, head: String = "", html: String = "", body: String = "") -> String
  {
    "<!doctype html>\n<html data-layout=\"_layout.html\"\(html)>\n<head>\(head)</head>\n<body\(body)>\n<main>\(main)</main>\n</body></html>"
  }

  private func compose(
    _ files: [String: String], _ path: String = "page.html"
  ) -> Result<(text: String, places: [PagePlace]), PageProblem> {
    Result { () throws(PageProblem) in
      let composer = PageComposer(files.mapValues { Array($0.utf8) })
      if let problem = composer.problems.first { throw problem }
      let page = try composer.page(path)
      let elements = page.origins == nil ? [] : PageReader.elements(of: page.bytes)
      return (
        String(decoding: page.bytes, as: UTF8.self),
        elements.compactMap { page.origins?.origin(of: $0)?.place }
      )
    }
  }

  private func text(_ files: [String: String]) throws -> String { try compose(files).get().text }

  private func problem(_ files: [String: String], _ path: String = "page.html") -> String {
    switch compose(files, path) {
    case .success(let page): page.text
    case .failure(let problem): "\(problem.place.file):\(problem.place.line): \(problem.message)"
    }
  }

  @Test func `a page without either stays as it is, byte for byte`() throws {
    let page = "<!DOCTYPE html>\r\n<html><body><p>data-layout</p><!-- <b data-use='x'> --></body>"

    #expect(try text(["page.html": page]) == page)
  }

  @Test func `has the library's fragments, unless the folder has others of their names`() throws {
    func text(_ files: [String: String]) throws -> String {
      let composer = PageComposer(files.mapValues { Array($0.utf8) }, library: ClientFiles.parts)
      #expect(composer.problems.isEmpty)
      return String(decoding: try composer.page("page.html").bytes, as: UTF8.self)
    }
    let page = #"<body><div data-use="line-chart" data-prefix="load"></div></body>"#

    #expect(try text(["page.html": page]).contains(#"<polyline data-bind-attr-points="loadLine.p51"/>"#))
    let own = #"<template data-fragment="line-chart"><b data-bind-text="line.low"></b></template>"#
    #expect(
      try text(["page.html": page, "_own.html": own])
        == #"<body><div><b data-bind-text="loadLine.low"></b></div></body>"#)
    #expect(ClientFiles.all.allSatisfy { !$0.path.hasSuffix("_charts.html") })
  }

  @Test func `a layout surrounds a page's main, head and attributes`() throws {
    let page = Self.page(
      "<p>Tea</p>",
      head: "<meta charset=\"utf-8\"><title>Tea</title><link rel=\"stylesheet\" href=\"/shop.css\">"
        + "<meta name=\"description\" content=\"Tea\"><link rel=\"stylesheet\" href=\"/tea.css\">",
      html: " lang=\"ja\"", body: " data-screen=\"tea\"")

    #expect(
      try text(["page.html": page, "_layout.html": Self.layout]) == """
        <!doctype html>
        <html lang="ja">
          <head>
            <meta charset="utf-8">
            <title>Tea</title>
            <meta name="description" content="Tea">
            <link rel="stylesheet" href="/shop.css">
            <link rel="stylesheet" href="/tea.css">
          </head>
          <body data-screen="tea" class="shop">
            <header>Shop</header>
            <main><p>Tea</p></main>
            <p role="status"></p>
          </body>
        </html>

        """)
  }

  @Test func `a layout is found from the page's folder, or from the top`() throws {
    let page = Self.page("<p>Tea</p>")
    let above = page.replacing("_layout.html", with: "../_layout.html")
    let top = page.replacing("_layout.html", with: "/_layout.html")
    for page in [above, top] {
      let found = try compose(["teas/page.html": page, "_layout.html": Self.layout], "teas/page.html").get()
      #expect(found.text.contains("<header>Shop</header>"))
    }
  }

  @Test(arguments: [
    ("../_layout.html", "page.html:2: data-layout=\"../_layout.html\" leads out of the folder"),
    ("_none.html", "page.html:2: there is no layout \"_none.html\""),
    ("page.html", "page.html:2: there is no layout \"page.html\"; a layout's file begins with _"),
    ("_nested.html", "_nested.html:1: a layout has no layout of its own"),
    ("_bare.html", "_bare.html:1: a layout and its pages have one <main> each; here are 0"),
    ("_open.html", "_open.html:2: <head> has no end tag, or stands elsewhere"),
    ("_early.html", "_early.html:1: <main> has no end tag, or stands elsewhere"),
    ("_late.html", "_late.html:1: <head> has no end tag, or stands elsewhere"),
    ("_parts.html", "_parts.html:2: a layout has no fragments"),
  ])
  func `a layout that cannot be used is told with its place`(_ name: String, _ sentence: String) {
    let page = Self.page("<p>Tea</p>").replacing("_layout.html", with: name)
    let nested = "<html data-layout=\"_layout.html\"><head></head><body><main></main></body></html>"
    let files = [
      "page.html": page, "_layout.html": Self.layout, "_nested.html": nested,
      "_bare.html": "<html><head></head><body></body></html>",
      "_early.html": "<html><head></head><main></main><body></body></html>",
      "_late.html": "<head></head><html><body><main></main></body></html>",
      "_open.html": "<html>\n<head><body><main></main></body></html>",
      "_parts.html":
        "<html><head></head><body><main></main>\n<template data-fragment=\"a\"></template></body></html>",
    ]

    #expect(problem(files).hasPrefix(sentence), "\(problem(files))")
  }

  @Test func `a page for a layout has its own main, and ends its head`() {
    let page = Self.page("<p>Tea</p>")
    let layout = ["_layout.html": Self.layout]
    let without = page.replacing("<main>", with: "<div>")
    let open = page.replacing("</head>", with: "")

    #expect(
      problem(layout.merging(["page.html": without]) { $1 }).hasPrefix("page.html:1: a layout and its pages"))
    #expect(
      problem(layout.merging(["page.html": open]) { $1 }).hasPrefix("page.html:3: <head> has no end tag"))
  }

  @Test func `a head has one title, one base and one meta of a name, those of the page`() throws {
    let layout = Self.layout.replacing(
      "</head>",
      with: "<base href=\"/a/\"><meta property=\"og:title\" content=\"Shop\">"
        + "<meta name=\"theme-color\" content=\"red\"></head>"
    )
    let page = Self.page(
      "",
      head: "<META NAME=description content=x>\n<title>a <b> c</title><base href=\"/b/\">"
        + "<meta property=\"og:title\" content=\"Tea\"><meta http-equiv=\"x\" content=\"y\">")
    let found = try text(["page.html": page, "_layout.html": layout])
    let elements = PageReader.elements(of: found).filter { $0.parent?.tag == "head" }

    #expect(
      elements.map { $0.tag + ($0["content"] ?? $0["href"] ?? "") } == [
        "meta", "title", "metax", "link/shop.css", "base/b/", "metaTea", "metared", "metay",
      ])
    #expect(found.contains("<title>a <b> c</title>"))
  }

  @Test func `what stands beside a page's main comes along`() throws {
    let page = Self.page("<p>Tea</p>").replacing(
      "</main>\n", with: "</main><!-- end -->\n<dialog></dialog>\n")
    let found = try text(["page.html": page, "_layout.html": Self.layout])

    #expect(
      found.contains("    <main><p>Tea</p></main><!-- end -->\n<dialog></dialog>\n    <p role=\"status\">"))
  }

  private static let card = """
    <template data-fragment="card">
      <h2 id="title" data-bind-text="name.first">A card</h2>
      <label for="points">Points</label> <input id="points" aria-labelledby="title page" data-bind-value="points">
      <ul><template data-bind-each="rows"><li data-bind-text="text"><button data-on-click="remove">x</button></li></template></ul>
    </template>
    """

  @Test func `a fragment is there several times, with names and ids of its own`() throws {
    let page =
      "<main><section class=\"a\" data-use=\"card\" data-prefix=\"home\"></section><i></i>"
      + "<section data-prefix='guest' data-use=card></section></main>"
    let found = try text(["page.html": page, "_card.html": Self.card])

    for (prefix, start) in [("home", "<section class=\"a\">"), ("guest", "<section>")] {
      #expect(
        found.contains(
          start + """

              <h2 id="\(prefix)-title" data-bind-text="\(prefix)Name.first">A card</h2>
              <label for="\(prefix)-points">Points</label> <input id="\(prefix)-points" aria-labelledby="\(prefix)-title page" data-bind-value="\(prefix)Points">
              <ul><template data-bind-each="\(prefix)Rows"><li data-bind-text="text"><button data-on-click="\(prefix)Remove">x</button></li></template></ul>
            </section>
            """))
    }
    #expect(!found.contains("data-use") && !found.contains("data-prefix"))
  }

  @Test(arguments: [
    "for", "headers", "list", "form", "itemref", "popovertarget", "interesttarget", "commandfor",
    "interestfor", "aria-activedescendant", "aria-controls", "aria-describedby", "aria-details",
    "aria-errormessage", "aria-flowto", "aria-labelledby", "aria-owns",
  ])
  func `what names an id of the fragment names it in its place, and what names one of the page still does`(
    _ attribute: String
  ) throws {
    let fragment = "<template data-fragment=\"one\"><i id=\"x\" \(attribute)=\"x page\"></i></template>"
    let page = "<p id=\"page\" \(attribute)=\"x\"></p><p data-use=\"one\" data-prefix=\"my\"></p>"

    #expect(
      try text(["page.html": page, "_one.html": fragment])
        == "<p id=\"page\" \(attribute)=\"x\"></p><p><i id=\"my-x\" \(attribute)=\"my-x page\"></i></p>")
  }

  @Test(arguments: [
    ("<use href=\"#x\"/>", "<use href=\"#my-x\"/>"),
    ("<use xlink:href='#x'/>", "<use xlink:href='#my-x'/>"),
    ("<path fill=\"url(#x)\"/>", "<path fill=\"url(#my-x)\"/>"),
    ("<path marker-end=url(#x) />", "<path marker-end=url(#my-x) />"),
    (
      "<p style=\"mask: url( '#x' ); clip-path: url(&quot;#x&quot;); filter: url(#page)\"></p>",
      "<p style=\"mask: url( '#my-x' ); clip-path: url(&quot;#my-x&quot;); filter: url(#page)\"></p>"
    ),
    ("<a href=\"#page\"></a>", "<a href=\"#page\"></a>"), ("<a href=\"x\"></a>", "<a href=\"x\"></a>"),
    (
      "<p title=\"x\" class=\"x\" aria-label=\"x\" target=\"x\"></p>",
      "<p title=\"x\" class=\"x\" aria-label=\"x\" target=\"x\"></p>"
    ),
  ])
  func `addresses in the page and parts of pictures are those of the fragment, texts are not`(
    _ part: String, _ there: String
  ) throws {
    let fragment = "<template data-fragment=\"one\"><i id=\"x\"></i>\(part)</template>"

    #expect(
      try text(["page.html": "<p data-use=\"one\" data-prefix=\"my\"></p>", "_one.html": fragment])
        == "<p><i id=\"my-x\"></i>\(there)</p>")
  }

  @Test func `the client changes the same attributes in rows`() throws {
    let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let text = try String(
      contentsOf: repository.appending(path: "Sources/BrowserClient/musubi/ids/own.js"), encoding: .utf8)
    let lines = try #require(text.firstMatch(of: /new RegExp\(([^;]*)\);/)).1
    let pattern = lines.matches(of: /"([^"]*)"/).map { String($0.1) }.joined()
    let naming = try Regex(pattern)
    let others = [
      "name", "class", "target", "title", "href", "value", "aria-label", "aria-description", "aria-valuetext",
      "data-for",
    ]

    #expect(pattern.hasPrefix("^(") && pattern.hasSuffix(")$"))
    #expect(PagePrefix.identifiers.allSatisfy { $0.wholeMatch(of: naming) != nil })
    #expect(others.allSatisfy { $0.wholeMatch(of: naming) == nil })
    // Each way through the pattern is a name.
    let aria = try #require(pattern.firstMatch(of: /aria-\(([^)]*)\)/)).1.split(separator: "|").count
    let ahead = try #require(pattern.firstMatch(of: /^\^\(([a-z|]+)/)).1.split(separator: "|").count
    #expect(aria + ahead + 5 == PagePrefix.identifiers.count)
  }

  @Test func `links in the page and groups of radio buttons are the fragment's own, texts are not`() throws {
    let fragment = """
      <template data-fragment="seat"><a href="#seat">x</a><a href="#top">y</a><p id="seat">z</p>
      <input type="RADIO" name="seat" data-bind-value="seat"><input name="seat" data-bind-text=".">
      <textarea><p id="seat" data-bind-text="seat"></textarea><SCRIPT>"<p id='seat'>"</SCRIPT><b id=seat></b></template>
      """
    let page = "<p\n  data-use=\"seat\"data-prefix=\"my\"></p>"

    #expect(
      try text(["page.html": page, "_seat.html": fragment]) == """
        <p
         ><a href="#my-seat">x</a><a href="#top">y</a><p id="my-seat">z</p>
        <input type="RADIO" name="my-seat" data-bind-value="mySeat"><input name="seat" data-bind-text=".">
        <textarea><p id="seat" data-bind-text="seat"></textarea><SCRIPT>"<p id='seat'>"</SCRIPT><b id=my-seat></b></p>
        """)
  }

  @Test func `a picture's title may end where it begins`() throws {
    let one = "<template data-fragment=\"one\"><i>1</i></template>"
    let page = "<svg><title/><path d=\"M0 0\"/></svg><p data-use=\"one\"></p>"

    #expect(
      try text(["page.html": page, "_one.html": one])
        == "<svg><title/><path d=\"M0 0\"/></svg><p><i>1</i></p>")
  }

  @Test(arguments: [
    "<template data-bind-each=\"rows\"><p data-use=\"one\" data-prefix=\"my\"></p></template>",
    "<template data-bind-each=\"rows\" data-use=\"one\" data-prefix=\"my\"></template>",
    "<dialog data-dialog=\"ask\"><p data-use=\"one\" data-prefix=\"my\"></p></dialog>",
  ])
  func `in a row and in a dialog of the page a fragment's names are members, and its inputs are not`(
    _ page: String
  ) throws {
    let one =
      "<template data-fragment=\"one\"><b data-bind-text=\"text\" data-on-click=\"tap\"></b></template>"
    let found = try text(["page.html": page, "_one.html": one])

    #expect(found.contains("<b data-bind-text=\"text\" data-on-click=\"myTap\"></b>"), "\(found)")
  }

  @Test func `a fragment without a prefix is only a shorthand, and fragments may have others inside`() throws
  {
    let both = "<template data-fragment=\"both\"><p data-use=\"one\" data-prefix=\"left\"></p></template>"
    let one = "<template data-fragment=\"one\"><b data-bind-text=\"text\"></b></template>"
    let files = [
      "_parts.html": both + one,
      "page.html": "<p data-use=\"one\"></p><div data-use=\"both\" data-prefix=\"my\"></div>",
    ]

    #expect(
      try text(files)
        == "<p><b data-bind-text=\"text\"></b></p><div><p><b data-bind-text=\"myLeftText\"></b></p></div>")
  }

  @Test(arguments: [
    (
      "<p>\n<b data-use=\"crad\"></b>",
      "page.html:2: there is no fragment \"crad\"; there are card, loop, one, two."
    ),
    ("<b data-use=\"card\">text</b>", "page.html:1: data-use=\"card\" fills an empty element"),
    (
      "<ul><li data-use=\"card\"></ul>",
      "page.html:1: data-use=\"card\" fills an empty element with an end tag"
    ),
    ("<img data-use=\"card\">", "page.html:1: data-use=\"card\" fills an empty element with an end tag"),
    ("<b data-use=\"card\" data-prefix=\"a-b\"></b>", "page.html:1: data-prefix=\"a-b\" begins no name"),
    ("<b data-use=\"card\" data-prefix=\"Home\"></b>", "page.html:1: data-prefix=\"Home\" begins no name"),
    ("<b data-use=\"loop\"></b>", "_loop.html:1: the fragment \"loop\" uses itself: loop, loop."),
    ("<b data-use=\"one\"></b>", "_loop.html:3: the fragment \"one\" uses itself: one, two, one."),
  ])
  func `a use that cannot be filled is told with its place`(_ page: String, _ sentence: String) {
    let loop = """
      <template data-fragment="loop"><b data-use="loop"></b></template>
      <template data-fragment="one"><b data-use="two"></b></template>
      <template data-fragment="two"><b data-use="one"></b></template>
      """
    let files = ["page.html": page, "_card.html": Self.card, "_loop.html": loop]

    #expect(problem(files).hasPrefix(sentence), "\(problem(files))")
  }

  @Test func `fragments that multiply end in a sentence, and not in all of the memory`() {
    var parts = "<template data-fragment=\"f0\">\(String(repeating: "x", count: 1_000))</template>"
    for level in 1...12 {
      let uses = String(repeating: "<b data-use=\"f\(level - 1)\"></b>", count: 10)
      parts += "<template data-fragment=\"f\(level)\">\(uses)</template>"
    }

    #expect(
      problem(["_parts.html": parts, "page.html": "<b data-use=\"f12\"></b>"]).contains("grows beyond"))
  }

  @Test func `two fragments of one name, and one without a name, are told`() {
    let one = "<template data-fragment=\"card\"></template>"

    #expect(
      problem(["_a.html": one, "_b.html": "\n" + one])
        == "_b.html:2: _a.html:1 has a fragment \"card\", too; give one another name.")
    #expect(
      problem(["_a.html": "<p data-fragment=\"card\"></p>"]).hasPrefix(
        "_a.html:1: data-fragment takes a name"))
  }

  @Test func `whatever the files hold, a page is put together, or a place is told`() throws {
    let pieces = [
      "<html>", "<html data-layout=_l.html class=a>", "</html>", "<head>", "</head>", "<body>", "</body>",
      "<main>", "</main>", "<title>", "</title>", "<p data-use=a data-prefix=my>", "</p>", "<meta name=x>",
      "\n",
      "<template data-fragment=a>", "<template data-fragment=b>", "</template>", "<p data-use=b", " id='",
      "<!--",
      "-->", "<script>", "</script", "text", "é", ">", "=", "\"",
    ]
    let frame = ["<html data-layout=_l.html>", "<head>", "</head>", "<body>", "<main>", "</main>", "</body>"]
    var random = Steps()
    /// Pieces by chance, half of the time among those of a page.
    func file() -> String {
      let isWhole = Bool.random(using: &random)
      let some = (0..<10).map { _ in
        Int.random(in: 0..<4, using: &random) == 0 ? pieces.randomElement(using: &random)! : ""
      }
      return isWhole ? zip(frame + ["", "", ""], some).map { $0 + $1 }.joined() : some.joined()
    }
    var composed = 0
    for _ in 0..<3_000 {
      let layout = file().replacing(" data-layout=_l.html", with: "")
      let files = ["page.html": file(), "_l.html": layout, "_p.html": file()]
      switch compose(files) {
      case .success(let page):
        composed += page.places.isEmpty ? 0 : 1
        #expect(
          page.places.allSatisfy { place in
            files[place.file].map { (1...$0.utf8.count { $0 == 10 } + 1).contains(place.line) } ?? false
          }, "\(page.places)")
      case .failure(let problem):
        let lines = files[problem.place.file].map { $0.utf8.count { $0 == 10 } + 1 }
        #expect(problem.place.line >= 1 && problem.place.line <= lines ?? 0, "\(problem)")
      }
    }

    #expect(composed > 30)
  }

  @Test func `each element knows its file and its line, also if all stand on one line`() throws {
    let page = Self.page("\n<p data-use=\"card\"></p>\n<i></i><u data-use=\"short\"></u><s></s>")
    let short = "\n<template data-fragment=\"short\"><b></b></template>"
    let files = [
      "page.html": page, "_layout.html": Self.layout, "_card.html": Self.card, "_short.html": short,
    ]
    let found = try compose(files).get()
    let tags = PageReader.elements(of: found.text).map(\.tag)
    func place(_ tag: String) -> String? {
      tags.firstIndex(of: tag).map { "\(found.places[$0].file):\(found.places[$0].line)" }
    }

    #expect(found.places.count == tags.count)
    #expect(place("header") == "_layout.html:10")
    #expect(place("label") == "_card.html:3")
    #expect(place("i") == "page.html:7" && place("u") == "page.html:7" && place("s") == "page.html:7")
    #expect(place("b") == "_short.html:2")
  }

  @Test func `an attribute of the layout's body has the layout's place`() throws {
    let layout = Self.layout.replacing("class=\"shop\"", with: "\n  data-screen=\"shop\"")
    let files = ["page.html": Self.page(""), "_layout.html": layout].mapValues { Array($0.utf8) }
    let page = try PageComposer(files).page("page.html")
    let body = try #require(PageReader.elements(of: page.bytes).first { $0.tag == "body" })

    #expect(page.origins?.origin(of: body)?.place == PagePlace(file: "page.html", line: 4))
    #expect(
      page.origins?.origin(of: body, attribute: "data-screen")?.place
        == PagePlace(file: "_layout.html", line: 10))
  }

  @Test func `a fragment of the library has the place of the element that uses it`() throws {
    let use = "<p></p>\n<div data-use=\"line-chart\" data-prefix=\"load\"></div>"
    let own = "<template data-fragment=\"own\">\n<b data-use=\"line-chart\"></b></template>"
    let files = ["page.html": use + "\n<p data-use=\"own\" data-prefix=\"my\"></p>", "_own.html": own]
    let page = try PageComposer(files.mapValues { Array($0.utf8) }, library: ClientFiles.parts)
      .page("page.html")
    let origins = PageReader.elements(of: page.bytes).filter { $0.tag == "polyline" }
      .compactMap { page.origins?.origin(of: $0) }

    #expect(origins.count == 104 && origins.allSatisfy { $0.fragment == "line-chart" })
    #expect(origins.first?.place == PagePlace(file: "page.html", line: 2))
    #expect(origins.last?.place == PagePlace(file: "_own.html", line: 2))
  }

  @Test func `a fragment of a fragment in a row has the row's names, as if it stood there itself`() throws {
    let files = [
      "page.html": "<template data-bind-each=\"pots\"><li data-use=\"pot\"></li></template>",
      "_pot.html":
        "<template data-fragment=\"pot\"><p data-use=\"score\" data-prefix=\"home\"></p></template>",
      "_score.html":
        "<template data-fragment=\"score\"><b data-bind-text=\"points\" data-on-click=\"up\"></b></template>",
    ]

    #expect(
      try text(files)
        == "<template data-bind-each=\"pots\"><li><p><b data-bind-text=\"points\" data-on-click=\"homeUp\"></b></p></li></template>"
    )
  }

  @Test(arguments: [
    (
      "<dialog data-dialog=\"ask\"><input type=\"file\" data-bind-file=\"photo\"></dialog>",
      "<dialog data-dialog=\"myAsk\"><input type=\"file\" data-bind-file=\"myPhoto\"></dialog>"
    ),
    (
      "<template data-bind-each=\"rows\"><i data-bind-file=\"photo\"></i></template>",
      "<template data-bind-each=\"myRows\"><i data-bind-file=\"myPhoto\"></i></template>"
    ),
    (
      "<input name=\"word\" data-window-filter=\"cards\"><input name=\"word\">",
      "<input name=\"my-word\" data-window-filter=\"myCards\"><input name=\"word\">"
    ),
  ])
  func `controls for files and filters are the screen's wherever they stand`(
    _ part: String, _ there: String
  ) throws {
    let fragment = "<template data-fragment=\"one\">\(part)</template>"

    #expect(
      try text(["page.html": "<p data-use=\"one\" data-prefix=\"my\"></p>", "_one.html": fragment])
        == "<p>\(there)</p>")
  }
}

/// The same steps each time.
private struct Steps: RandomNumberGenerator {
  private var state: UInt64 = 1

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}
