// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire
import Testing

@testable import Musubi

@Suite struct `The check of a page` {
  private static let schema = {
    var schema = names
    schema.files["photo"] = FileLimit(size: .bytes(1), types: ["*/*"])
    return schema
  }()
  private static let names = ScreenSchema(
    inputs: [
      .init(name: "photo", kind: .file),
      .init(name: "minutes", kind: .string), .init(name: "start", kind: .void),
      .init(name: "loud", kind: .bool),
      .init(name: "count", kind: .integer), .init(name: "any", kind: .value),
      .init(name: "move", kind: .move),
    ], outputs: ["minutes", "clock", "rows", "mixed", "loud", "count"], events: ["saved", "ask"])

  private static let begun = {
    var schema = Self.schema
    schema.samples = [
      "clock": "12:00", "minutes": .null,
      "rows": [
        ["id": 1, "who": "Ann", "tags": [["name": "hot"]], "place": .null, "photos": [], "minute": 3],
        ["id": 2, "who": "Bob", "tags": [], "place": ["x": 1], "photos": [], "minute": 4],
      ], "mixed": [["who": "Ann"], ["where": "here"]],
    ]
    return schema
  }()

  private func findings(
    in body: String, shared: Set<String> = [],
    routes: [PageInspection.Route] = [.init(screen: "tea", path: "/tea", file: "tea.html")],
    file: String = "tea.html"
  ) -> [PageFinding] {
    PageInspection(
      schemas: ["tea": Self.schema, "pot": ScreenSchema(inputs: [], outputs: ["clock"])], routes: routes,
      shared: shared
    ).findings(in: [(file: file, text: body)])
  }

  /// A mistake beside the values that the screen begins with, and a page that has none.
  @Test(arguments: [
    (
      "<p data-bind-text=\"rows\"></p>", "<p data-bind-text=\"minutes\"></p>", "wrong-type",
      "data-bind-each=\"rows\""
    ),
    (
      row("<b data-bind-text=\"place\"></b>"), row("<b data-bind-text=\"place.x\"></b>"), "wrong-type",
      "behind a dot: x"
    ),
    (
      "<template data-bind-each=\"clock\"></template>", "<template data-bind-each=\"minutes\"></template>",
      "wrong-type",
      "no list"
    ),
    (
      row("<b data-bind-text=\"whoo\"></b>"),
      "<template data-bind-each=\"mixed\"><li data-bind-text=\"whoo\"></li></template>", "unknown-name",
      "mean who?"
    ),
    (
      row("<b data-bind-text=\"wh\"></b>"),
      row("<i data-bind-file=\"photo\"></i><input aria-label=\"a\" data-bind-value=\"minutes\">"),
      "unknown-name",
      "mean who?"
    ),
    (
      row("<b data-bind-text=\".\"></b>"), row("<my-b data-bind-prop-a=\".\"></my-b>"), "wrong-type",
      "behind a dot"
    ),
    (
      row("<i><template data-bind-each=\"tags\"><b data-bind-text=\"nam\"></b></template></i>"),
      row("<i><template data-bind-each=\"tags\"><b data-bind-text=\"name\"></b></template></i>"),
      "unknown-name",
      "no row of \"tags\" has it. Did you mean name?"
    ),
    (
      row("<input aria-label=\"a\" data-bind-value=\"minute\">"),
      row("<input aria-label=\"a\" data-bind-value=\"minutes\">"), "unknown-name", "mean minutes?"
    ),
    (
      row("<input aria-label=\"a\" data-bind-value=\"who\">"),
      row("<input aria-label=\"a\" data-bind-value=\"who\" data-on-change=\"any\">"), "unknown-name",
      "nobody takes what is entered"
    ),
  ])
  func `knows what lists, texts and rows are by the first values`(
    _ mistake: String, _ right: String, _ kind: String, _ words: String
  ) throws {
    func findings(_ body: String) -> [PageFinding] {
      PageInspection(
        schemas: ["tea": Self.begun], routes: [.init(screen: "tea", path: "/tea", file: "tea.html")],
        shared: []
      ).findings(in: [(file: "tea.html", text: body)])
    }

    let found = try #require(findings(mistake).first)

    #expect(found.kind.rawValue == kind)
    #expect(found.message.contains(words), "\(found.message)")
    #expect(findings(mistake).count == 1)
    #expect(findings(right) == [])
  }

  private static func row(_ content: String) -> String {
    "<template data-bind-each=\"rows\"><li>\(content)</li></template>"
  }

  /// A mistake, and a page beside it that has none.
  @Test(arguments: [
    (#"<p data-bind-text="clok"></p>"#, #"<p data-bind-text="clock"></p>"#, "unknown-name", "mean clock?"),
    (#"<p data-on-click="strat"></p>"#, #"<p data-on-click="start"></p>"#, "unknown-name", "mean start?"),
    (
      #"<p data-bind-txt="clock"></p>"#, #"<p data-bind-text="clock.inner"></p>"#, "unknown-attribute",
      "data-bind-text"
    ),
    (
      #"<p data-on-clik="start"></p>"#, #"<p data-on-my-event="start"></p>"#, "unknown-attribute",
      "data-on-click"
    ),
    (#"<p data-clok></p>"#, #"<p data-mine></p>"#, "unknown-attribute", "data-cloak"),
    (
      #"<a data-on-click="count"></a>"#, #"<a data-on-click="any"></a>"#, "wrong-type", "a tap sends no value"
    ),
    (
      #"<label><input data-bind-value="count"></label>"#,
      #"<label><input type="number" data-bind-value="count"></label>"#, "wrong-type", "a whole number"
    ),
    (
      #"<label><input type="checkbox" data-bind-checked="minutes"></label>"#,
      #"<label><input type="checkbox" data-bind-checked="loud"></label>"#, "wrong-type", "true or false"
    ),
    (
      #"<label><select multiple data-bind-value="minutes"></select></label>"#,
      #"<label><select data-bind-value="minutes"></select></label>"#, "wrong-type", "a list"
    ),
    (
      #"<p data-bind-value="clock"></p>"#, #"<my-p data-bind-value="clock"></my-p>"#, "no-effect",
      "form controls"
    ),
    (
      #"<ul data-on-move="move"><template data-bind-each="rows"><li></li></template></ul>"#,
      #"<ul><template data-bind-each="rows" data-on-move="move"><li></li></template></ul>"#, "no-effect",
      "data-bind-each"
    ),
    (
      #"<template data-bind-each="rows"><li data-handle></li></template>"#,
      #"<template data-bind-each="rows" data-on-move="move"><li data-handle></li></template>"#, "no-effect",
      "data-on-move"
    ),
    (
      #"<template data-bind-each="rows" data-on-move="any"><li></li></template>"#,
      #"<template data-bind-each="rows" data-on-move="move"><li></li></template>"#, "wrong-type",
      "a row's move is sent"
    ),
    (
      #"<div data-bind-selected="any"></div>"#,
      #"<template data-bind-each="rows" data-bind-selected="any"></template>"#, "no-effect", "data-bind-each"
    ),
    (
      #"<template data-bind-each="rows"><li data-select></li></template>"#,
      #"<template data-bind-each="rows" data-bind-selected="any"><li data-select></li></template>"#,
      "no-effect", "data-bind-selected"
    ),
    (
      #"<ul data-window></ul>"#, #"<template data-bind-each="rows" data-window><li></li></template>"#,
      "no-effect",
      "data-bind-each"
    ),
    (
      #"<ul data-append-only></ul>"#,
      #"<template data-bind-each="rows" data-append-only="50"><li></li></template>"#,
      "no-effect", "data-bind-each"
    ),
    (
      #"<template data-bind-each="rows" data-bind-selected="minutes"></template>"#,
      #"<template data-bind-each="rows" data-bind-selected="any"></template>"#, "wrong-type", "a list of ids"
    ),
    (
      #"<template data-bind-each="rows"><li data-on-click="move"></li></template>"#,
      #"<template data-bind-each="rows"><li data-on-click="any"></li></template>"#, "wrong-type",
      "no row's move is sent"
    ),
    (
      #"<label><input type="file" data-bind-file="foto"></label>"#,
      #"<label><input type="file" data-bind-file="photo"></label>"#, "unknown-name", "mean photo?"
    ),
    (
      #"<main data-bind-file="any"></main>"#, #"<main data-bind-file="photo"></main>"#, "wrong-type",
      "sends a file"
    ),
    (
      #"<label><input data-bind-file="photo"></label>"#,
      #"<label><input type="FILE" data-bind-file="photo"></label>"#, "no-effect", "type=\"file\""
    ),
    (#"<a data-on-click="photo"></a>"#, #"<a data-on-click="any"></a>"#, "wrong-type", "takes a file"),
    (
      #"<input type="file" data-bind-file="photo">"#, #"<p data-bind-text="clock"></p>"#, "missing-label",
      "label"
    ),
    (#"<p data-bind-checked="loud"></p>"#, #"<p data-bind-hidden="loud"></p>"#, "no-effect", "checkboxes"),
    (
      #"<a data-bind-disabled="loud"></a>"#, #"<button data-bind-disabled="loud"></button>"#, "no-effect",
      "disabled"
    ),
    (
      #"<ul data-bind-each="rows"></ul>"#, #"<template data-bind-each="rows"></template>"#, "no-effect",
      "<template>"
    ),
    (
      #"<p data-bind-attr-onclick="clock"></p>"#, #"<p data-bind-attr-title="clock"></p>"#, "no-effect",
      "onclick"
    ),
    (#"<p data-layout="_l.html"></p>"#, #"<p data-lay="_l.html"></p>"#, "no-effect", "only <html>"),
    (
      #"<template data-fragment="a"></template>"#, #"<template data-frame="a"></template>"#, "no-effect",
      "begin with _"
    ),
    (#"<p data-used="a" data-prefix="b"></p>"#, #"<p data-used="a"></p>"#, "no-effect", "data-use,"),
    (#"<link data-bind-attr-href="clock">"#, #"<a data-bind-attr-href="clock"></a>"#, "no-effect", "loads"),
    (
      #"<p role="status" data-bind-text="clock"></p>"#,
      #"<p role="status"></p><p aria-live="polite" data-bind-text="clock"></p>"#, "no-effect", "own status"
    ),
    (
      #"<p data-bind-prop-x="clock"></p>"#, #"<my-p data-bind-prop-x="clock"></my-p>"#, "no-effect",
      "custom elements"
    ),
    (
      #"<input data-bind-value="minutes">"#,
      #"<input id="m" data-bind-value="minutes"><label for="m"></label>"#, "missing-label", "<label>"
    ),
    (
      #"<input data-bind-value="minutes">"#, #"<input aria-label="m" data-bind-value="minutes">"#,
      "missing-label", "<label>"
    ),
    (
      #"<template data-bind-each="rows"><input data-bind-value="any"></template>"#,
      #"<template data-bind-each="rows"><p><label for="a">A</label><input id="a" data-bind-value="any"></p></template>"#,
      "missing-label", "<label>"
    ),
    (
      #"<p id="a"></p><template data-bind-each="rows"><i ID=a></i></template><b id='a'></b>"#,
      #"<p id="a"></p><p id="A"></p><p id=""></p><p id=""></p><!-- <p id="a"> --><template><p id="a"></p></template>"#,
      "duplicate-id", "id=\"a\": line 4 has it, too;"
    ),
    (
      #"<template data-bind-each="rows"><li><b id="a"></b><i id="a"></i></li></template>"#,
      #"<p id="a"></p><template data-bind-each="rows"><li id="a"><template data-bind-each="tags"><b id="a"></b></template></li></template>"#,
      "duplicate-id", "line 4"
    ),
    (
      row(#"<template data-bind-each="tags"><b id="a"></b><b id="a"></b></template>"#),
      // Two templates of the same list, in everything alike but their place.
      row(#"<b id="a"></b>"#) + row(#"<b id="a"></b>"#), "duplicate-id", "once in a template."
    ),
    (
      #"<input data-window-filter="row">"#, #"<input data-window-filter="rows">"#, "unknown-name",
      "mean rows?"
    ),
    (#"<p data-event-text="save"></p>"#, #"<p data-event-text="saved"></p>"#, "unknown-name", "mean saved?"),
    (
      #"<dialog data-dialog="asks"></dialog>"#, #"<dialog data-dialog="ask"></dialog>"#, "unknown-name",
      "no question of that name. Did you mean ask?"
    ),
    (
      #"<main></main><dialog data-dialog="ask"></dialog>"#,
      #"<main><dialog data-dialog="ask"></dialog></main>"#,
      "no-effect", "outside of <main>"
    ),
    (
      #"<div data-screen-root></div><main><dialog data-dialog="ask"></dialog></main>"#,
      #"<div data-screen-root><main></main><dialog data-dialog="ask"></dialog></div>"#, "no-effect",
      "outside of <div>"
    ),
    (
      #"<dialog data-dialog="ask"><input aria-label="a" data-bind-value="minute"></dialog>"#,
      #"<dialog data-dialog="ask"><input aria-label="a" data-bind-value="minutes"><input aria-label="a" data-bind-value="minute" readonly></dialog>"#,
      "unknown-name", "nobody takes what is entered. Did you mean minutes?"
    ),
    (#"<body data-screen="tee">"#, #"<body data-screen="tea">"#, "unknown-screen", "mean tea?"),
    (#"<body data-screen="pot">"#, #"<body data-screen="tea">"#, "wrong-screen", "its client opens \"pot\""),
    (#"<main data-screen="tea">"#, #"<body data-screen="tea">"#, "no-effect", "only <body>"),
    (
      #"<p data-bind-text="rwos"></p>"#,
      #"<template data-bind-each="rows"><p data-bind-text="x"></p></template>"#, "unknown-name", "rows"
    ),
    (
      #"<p data-bind-text="clok"></p>"#,
      #"<!-- <p data-bind-text="clok"></p> --><script>"<p data-bind-text='x'>"</script>"#, "unknown-name",
      "clock"
    ),
    (
      #"<p data-bind-text="clok"></p>"#, #"<body data-server="else"><p data-bind-text="clok"></p>"#,
      "unknown-name", "clock"
    ),
  ])
  func `finds a mistake with its line, and nothing in a page without it`(
    wrong: String, right: String, kind: String, words: String
  ) throws {
    let found = findings(in: "<!doctype html>\n<title>\n</title>\n" + wrong)

    #expect(
      found.map(\.kind.rawValue) == [kind] && found.map(\.line) == [4] && found.map(\.file) == ["tea.html"])
    #expect(try #require(found.first).message.contains(words))
    #expect(findings(in: "<!doctype html>\n" + right) == [])
  }

  @Test(arguments: [
    (
      #"<dialog data-dialog="homeAsk"><input aria-label="a" data-bind-value="newName"></dialog>"#,
      "homeNewName"
    ),
    (
      #"<template data-bind-each="homeChores"><li><input type="checkbox" aria-label="a" data-bind-checked="isDone"></li></template>"#,
      "homeIsDone"
    ),
  ])
  func `says why a control in a row or a dialog of a component does not reach the component's input`(
    _ page: String, _ input: String
  ) throws {
    var schema = ScreenSchema(
      inputs: [.init(name: "homeNewName", kind: .string), .init(name: "homeIsDone", kind: .value)],
      outputs: ["homeChores"], events: ["homeAsk"])
    schema.samples = ["homeChores": [["id": 1, "isDone": true]]]
    let found = PageInspection(
      schemas: ["tea": schema], routes: [.init(screen: "tea", path: "/tea", file: "tea.html")], shared: []
    ).findings(in: [(file: "tea.html", text: page)])

    #expect(found.map(\.kind) == [.unknownName])
    #expect(try #require(found.first).message.contains("The component's input is \"\(input)\""))
  }

  @Test func `does not know which questions a View asks, which has no events`() {
    #expect(
      PageInspection(
        schemas: ["tea": ScreenSchema(inputs: [], outputs: [])],
        routes: [.init(screen: "tea", path: "/tea", file: "tea.html")], shared: []
      ).findings(in: [(file: "tea.html", text: #"<dialog data-dialog="ask"></dialog>"#)]) == [])
  }

  @Test func `finds each id behind the first, with the first's line`() {
    let found = findings(in: "<p id=\"a\">\n<p id=\"b\">\n<p id=\"a\">\n<p id=\"a\">")

    #expect(found.map(\.kind) == [.duplicateID, .duplicateID] && found.map(\.line) == [3, 4])
    #expect(found.allSatisfy { $0.message == "id=\"a\": line 1 has it, too; write each id once in a page." })
  }

  /// Templates in which an id is once each, though the lists' rows have the same ids.
  @Test(arguments: [
    #"<template data-bind-each="rows"><li id="a"></li></template><template data-bind-each="others"><li id="a"></li></template>"#,
    #"<template data-bind-each="rows" data-window="todo"><li id="a"></li></template><template data-bind-each="rows" data-window="done"><li id="a"></li></template>"#,
    #"<template data-bind-each="rows"><li><template data-bind-each="tags"><b id="a"></b></template><template data-bind-each="tags"><b id="a"></b></template></li></template>"#,
    #"<p id="a"></p><div data-dialog="ask"><template data-bind-each="rows"><li id="a"></li></template></div><template data-bind-each="rows"><li id="a"></li></template>"#,
  ])
  func `lets each template of a list have the same id once`(_ page: String) {
    var schema = ScreenSchema(inputs: [], outputs: ["rows", "others", "ask"])
    schema.samples = ["rows": [["id": 1, "tags": [["id": 1]]]], "others": [["id": 1]]]
    func findings(_ page: String) -> [PageFinding] {
      PageInspection(
        schemas: ["tea": schema], routes: [.init(screen: "tea", path: "/tea", file: "tea.html")], shared: []
      ).findings(in: [(file: "tea.html", text: page)])
    }

    #expect(findings(page) == [])
    // Each element has its id a second time, inside the same template.
    let twice = page.replacing(#"id="a">"#, with: #"id="a"><i id="a"></i>"#)
    #expect(
      findings(twice).map(\.kind)
        == Array(repeating: .duplicateID, count: page.split(separator: "id=").count - 1))
  }

  @Test func `finds an address that everybody in a room would share`() {
    let page = #"<p data-bind-text="clock" data-bind-query="clock"></p>"#

    #expect(findings(in: page, shared: ["tea"]).map(\.kind) == [.sharedAddress])
    #expect(findings(in: page) == [])
  }

  @Test func `finds a route without a page, and a page without a route`() {
    let page = #"<body data-screen="tea">"#
    let found = findings(in: page, routes: [.init(screen: "tea", path: "/tea", file: "teas.html")])

    #expect(found.map(\.kind) == [.missingPage, .unusedPage])
    #expect(found.first?.file == "teas.html" && found.first?.message.contains("mean tea.html?") == true)
    #expect(findings(in: page) == [])
  }

  @Test(arguments: [("/pane", 0), ("/panes", 1), ("/pane.html", 1)])
  func `takes a page for shown that a route of its name may send`(path: String, count: Int) {
    var inspection = PageInspection(schemas: ["tea": Self.schema], routes: [], shared: [])
    inspection.ownPaths = [path]

    let found = inspection.findings(in: [(file: "pane.html", text: #"<body data-screen="tea">"#)])

    #expect(found.map(\.kind) == Array(repeating: .unusedPage, count: count))
  }

  @Test func `takes the file's name for the screen of a page that nothing else ties to one`() {
    let page = #"<p data-bind-text="clok"></p>"#

    #expect(findings(in: page, routes: []).map(\.kind) == [.unusedPage, .unknownName])
    let other = findings(in: page, routes: [], file: "pots.html")
    #expect(other.map(\.kind) == [.unknownScreen])
    #expect(other.first?.message.hasSuffix("Did you mean pot?") == true)
    #expect(findings(in: "<p>No names.</p>", routes: [], file: "pots.html") == [])
  }

  @Test func `finds a page whose address says another screen than its route`() {
    let routes = [PageInspection.Route(screen: "pot", path: "/pots/<id>", file: "tea.html")]
    let found = findings(in: #"<p data-bind-text="clock"></p>"#, routes: routes)

    #expect(found.map(\.kind) == [.wrongScreen])
    #expect(found.first?.message.contains("its client opens \"pots\"") == true)
    #expect(findings(in: #"<body data-screen="pot"><p data-bind-text="clock">"#, routes: routes) == [])
  }

  @Test func `knows a name once if it is wrong in each of two screens`() {
    let inspection = PageInspection(
      schemas: ["tea": Self.schema, "bare": ScreenSchema(inputs: [], outputs: [])],
      routes: ["tea", "bare"].map { .init(screen: $0, path: "/\($0)", file: "tea.html") }, shared: [])

    let found = inspection.findings(in: [(file: "tea.html", text: #"<p data-bind-text="clock"></p>"#)])

    #expect(found.count == 1 && found.first?.message.contains("\"bare\"") == true)
  }
}
