// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiRx
import MusubiTesting
import Testing

@testable import MusubiAdmin

/// Reports of a server that was started a day before the first.
private enum Reports {
  static let start = 1_790_000_000.0

  /// A report of a server that does something of everything, so many seconds after the first.
  static func busy(at seconds: Double = 0) -> ServerReport {
    var report = ServerReport()
    (report.started, report.time) = (start, start + 86_400 + seconds)
    report.loops = [loop(0), loop(1)]
    report.screens = [screen("number", inputs: 100), screen("note", inputs: 10)]
    report.busiestRooms = [room("number", "東京"), room("note", ""), room("note", "")]
    report.peers = [
      peer("a:203.0.113.7", "connections", 218, of: 256), peer("i:ann", "bytes", 6 << 20, of: 10 << 20),
    ]
    report.refusals = ["rooms": 3, "connections": 12, "sessions": 3]
    report.newestRefusals = [refusal("connections", "a:203.0.113.7"), refusal("rooms", "i:ann")]
    (report.residentBytes, report.maxResidentBytes) = (412 << 20, 2 << 30)
    (report.storedBytes, report.maxStoredBytes) = (3 << 20, 1 << 30)
    return report
  }

  static func loop(_ index: Int) -> ServerReport.Loop {
    var loop = ServerReport.Loop()
    (loop.index, loop.connections, loop.connectedSessions, loop.waitingSessions) = (index, 1_200, 1_100, 40)
    (loop.storedSessions, loop.bytes, loop.maxBytes) = (300, 12 << 20, 500 << 20)
    (loop.lag, loop.longestIteration, loop.bytesSent) = (0.000_2, 0.004, 5_000)
    loop.commits = histogram([0.001, 0.01], [90, 10])
    return loop
  }

  static func screen(_ name: String, inputs: Int, turnTime: ServerReport.Histogram = times([3, 1]))
    -> ServerReport.Screen
  {
    var screen = ServerReport.Screen()
    (screen.name, screen.rooms, screen.pages, screen.inputs, screen.turns) = (name, 2, 3, inputs, inputs / 2)
    (screen.turnTime, screen.handOver) = (turnTime, turnTime)
    return screen
  }

  static func room(_ screen: String, _ name: String) -> ServerReport.Room {
    var room = ServerReport.Room()
    (room.screen, room.name, room.loop, room.pages, room.bytes, room.turnsPerSecond) = (
      screen, name, 1, 3, 4_096, 12.5
    )
    return room
  }

  static func peer(_ name: String, _ kind: String, _ used: Int, of limit: Int) -> ServerReport.PeerShare {
    var peer = ServerReport.PeerShare()
    (peer.peer, peer.kind, peer.used, peer.limit) = (name, kind, used, limit)
    return peer
  }

  static func refusal(_ reason: String, _ peer: String) -> ServerReport.Refusal {
    var refusal = ServerReport.Refusal()
    (refusal.time, refusal.reason, refusal.peer, refusal.count) = (start + 86_000, reason, peer, 4)
    return refusal
  }

  static func histogram(_ bounds: [Double], _ counts: [Int], above: Int = 0) -> ServerReport.Histogram {
    var histogram = ServerReport.Histogram()
    (histogram.bounds, histogram.counts) = (bounds, counts)
    histogram.count = counts.reduce(0, +) + above
    return histogram
  }

  /// Durations below a millisecond, and below ten.
  static func times(_ counts: [Int]) -> ServerReport.Histogram { histogram([0.001, 0.01], counts) }

  /// What the screen shows after reports.
  static func page(_ reports: ServerReport..., language: StatusLanguage = .english) throws -> StatusPage {
    var history = ReportHistory()
    for report in reports { history.add(report) }
    return try #require(StatusPage(history, language))
  }
}

@Suite struct `The status screen's rates` {
  @Test func `are those between the last two reports`() throws {
    var next = Reports.busy(at: 2)
    next.screens[0].inputs += 30
    next.screens[1].turns += 5
    next.loops[1].bytesSent += 4_096

    let first = try Reports.page(Reports.busy()).server
    let second = try Reports.page(Reports.busy(), next).server

    #expect([first.inputs, first.turns, first.bytesSent] == ["–", "–", "–"])
    #expect([second.inputs, second.turns, second.bytesSent] == ["15", "2.5", "2.0 KiB"])
  }

  @Test func `take a counter that begins at 0 again as a whole`() throws {
    var next = Reports.busy(at: 1)
    next.screens[0].inputs = 4
    next.screens[1].inputs += 2

    let server = try Reports.page(Reports.busy(), next).server

    #expect(server.inputs == "6.0")
  }

  @Test func `miss nothing when a screen goes, and when one comes`() throws {
    var next = Reports.busy(at: 1)
    next.screens = [Reports.screen("note", inputs: 13), Reports.screen("form", inputs: 4)]

    let server = try Reports.page(Reports.busy(), next).server

    #expect(server.inputs == "7.0")
  }

  @Test func `stay when the same moment is told again, with something new about it`() throws {
    var next = Reports.busy(at: 1)
    next.screens[0].inputs += 30
    var again = next
    again.isDraining = true

    #expect(try Reports.page(Reports.busy(), next, again).server.inputs == "30")
  }

  @Test func `are unknown if the server is another one, and if the clock was set back`() throws {
    var other = Reports.busy(at: 1)
    other.started += 86_400

    #expect(try Reports.page(Reports.busy(), other).server.inputs == "–")
    #expect(try Reports.page(Reports.busy(), Reports.busy(at: -5)).server.inputs == "–")
  }
}

@Suite struct `A share of durations` {
  @Test(arguments: [
    ([1, 0, 0], 0, 0.5, DurationBound.atMost(1)), ([50, 49, 1], 0, 0.5, .atMost(1)),
    ([49, 50, 1], 0, 0.5, .atMost(2)), ([50, 49, 1], 0, 0.99, .atMost(2)),
    ([50, 48, 2], 0, 0.99, .atMost(4)),
    ([50, 48, 0], 2, 0.99, .above(4)), ([0, 0, 0], 1, 0.5, .above(4)), ([0, 0, 1], 0, 0.01, .atMost(4)),
  ])
  func `ends at the bound of its bucket`(counts: [Int], above: Int, share: Double, bound: DurationBound) {
    #expect(Reports.histogram([1, 2, 4], counts, above: above).bound(of: share) == bound)
  }

  @Test func `is unknown if nothing was measured`() {
    #expect(Reports.histogram([1, 2, 4], [0, 0, 0]).bound(of: 0.99) == nil)
    #expect(Reports.histogram([], [], above: 3).bound(of: 0.99) == nil)
  }

  @Test func `is that of the last minute, as far as something was measured in it`() throws {
    var next = Reports.busy(at: 20)
    next.screens[1].turnTime = Reports.times([3, 6])

    let screens = try Reports.page(Reports.busy(), next).screens

    #expect(screens.map(\.id) == ["note", "number"])
    #expect(screens.map(\.turnHalf) == ["≤ 10 ms", "≤ 1.0 ms"])
    #expect(screens.map(\.turnMost) == ["≤ 10 ms", "≤ 10 ms"])
    #expect(screens.map(\.measured) == ["5", "4"])
    #expect(screens.map(\.since) == ["last 20 s", "since start"])
  }

  @Test func `takes a histogram that counts from 0 again as a whole`() throws {
    var next = Reports.busy(at: 1)
    next.screens[1].turnTime = Reports.times([2, 0])

    let screens = try Reports.page(Reports.busy(), next).screens

    #expect(screens.first?.id == "note")
    #expect(screens.first?.measured == "2")
  }
}

@Suite struct `The history of reports` {
  @Test func `goes back a minute, and knows what it compares with`() {
    var history = ReportHistory()
    #expect(history.base == nil)

    for second in 0...200 {
      history.add(Reports.busy(at: Double(second)))
      let age = history.base.map { Reports.busy(at: Double(second)).time - $0.time }
      let expected: ClosedRange<Double> = second < 60 ? Double(second)...Double(second) : 60...70
      #expect(
        second == 0 ? age == nil : expected.contains(age ?? -1), "after \(second) s it is \(age ?? -1) s")
    }
  }

  @Test func `begins again after a pause`() {
    var history = ReportHistory()
    history.add(Reports.busy())
    history.add(Reports.busy(at: 31))

    #expect(history.previous == nil)
    #expect(history.base == nil)
  }
}

@Suite struct `The status screen` {
  @Test func `marks what has 85 per cent of its limit or more`() throws {
    var report = Reports.busy()
    report.peers = [
      Reports.peer("a", "rooms", 85, of: 100), Reports.peer("b", "rooms", 8_499, of: 10_000),
      Reports.peer("c", "rooms", 120, of: 100), Reports.peer("d", "rooms", .max, of: 1),
      Reports.peer("e", "rooms", 1, of: 0),
    ]
    report.loops[1].bytes = 450 << 20

    let page = try Reports.page(report)

    #expect(page.peers.map(\.share.isNear) == [true, false, true, true])
    #expect(page.peers.map(\.share.percent) == ["85%", "84%", "120%", "9999%"])
    #expect(page.peers.map(\.share.level) == [85, 84, 100, 100])
    #expect(page.loops.map { $0.share?.isNear } == [false, true])
    #expect(page.verdict == StatusRows.Verdict(text: "4 values are near their limits.", tone: "warning"))
    #expect(page.title == "⚠ Server status")
  }

  @Test func `says first that the server stops, and that its store fails`() throws {
    var report = Reports.busy()
    (report.isDraining, report.storeFails) = (true, true)
    report.loops[0].lag = 0.5
    report.peers = []

    let page = try Reports.page(report)

    #expect(page.verdict.tone == "danger")
    #expect(
      page.verdict.text
        == "The server is stopping; its pages are sent away. The store fails; the log says why. Loop 0 answers late."
    )
    #expect(page.loops.map(\.isLate) == [true, false])
  }

  @Test func `is calm about a server without store, limits, pages and refusals`() throws {
    var report = ServerReport()
    report.time = Reports.start
    report.started = Reports.start
    report.loops = [ServerReport.Loop()]

    let page = try Reports.page(report)

    #expect(page.verdict == StatusRows.Verdict(text: "Nothing is near a limit."))
    #expect(page.title == "Server status")
    #expect(page.budgets.isEmpty && page.rooms.isEmpty && page.screens.isEmpty && page.peers.isEmpty)
    #expect(page.refusals.isEmpty && page.reasons.isEmpty)
    #expect(page.loops.first?.share == nil)
    #expect(page.loops.first?.commits == "–")
  }

  @Test func `tells rooms of sessions apart, which have no names`() throws {
    let rooms = try Reports.page(Reports.busy()).rooms

    #expect(rooms.map(\.name) == ["東京", "", ""])
    #expect(Set(rooms.map(\.id)).count == 3)
  }

  @Test func `lists the most frequent reasons first`() throws {
    #expect(try Reports.page(Reports.busy()).reasons.map(\.id) == ["connections", "rooms", "sessions"])
  }

  @Test func `speaks Japanese`() throws {
    var next = Reports.busy(at: 5)
    next.screens[0].turnTime = Reports.times([4, 1])
    next.isDraining = true

    let page = try Reports.page(Reports.busy(), next, language: .japanese)

    #expect(page.title == "⚠ サーバーの状態")
    #expect(page.verdict.text == "サーバーは停止中です。ページを切り離しています。 上限に近い値が1件あります。")
    #expect(page.server.uptime == "1日0時間")
    #expect(page.loops.map(\.name) == ["ループ0", "ループ1"])
    #expect(page.budgets.map(\.name) == ["プロセスのメモリ", "セッションと部屋", "ディスク上のストア"])
    #expect(page.peers.map(\.kind) == ["接続", "メモリ"])
    #expect(page.screens.map(\.since) == ["直近5秒", "起動以来"])
  }

  @Test func `shows nothing before the first report, and each one after it`() throws {
    let reports = BehaviorRelay(value: ServerReport())
    let screen = try TestScreen { StatusViewModel(reports: reports.asObservable(), language: .english) }
    #expect(screen["title"] == nil)

    reports.accept(Reports.busy())
    #expect(screen["language"] == "en")
    #expect(screen["title"] == "⚠ Server status")

    var calm = Reports.busy(at: 1)
    calm.peers = []
    reports.accept(calm)
    #expect(screen["title"] == "Server status")
    #expect(screen["peers"] == "[]")
  }
}

@Suite struct `The status screen's page` {
  /// The values of a screen that shows something everywhere, by output.
  private func values() throws -> [String: Any] {
    let reports = BehaviorRelay(value: Reports.busy())
    let screen = try TestScreen { StatusViewModel(reports: reports.asObservable(), language: .english) }
    let outputs = Mirror(
      reflecting: StatusViewModel(reports: .never(), language: .english).bind(StatusViewModel.Inputs()))
    return try outputs.children.compactMap(\.label).reduce(into: [:]) { values, name in
      let text = try #require(screen[name])
      values[name] = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) ?? text
    }
  }

  /// What a path leads to, as the client looks it up.
  private func value(at path: Substring, in value: Any?) -> Any? {
    path.split(separator: ".").reduce(value) { ($0 as? [String: Any])?[String($1)] }
  }

  @Test func `names what the ViewModel has, and all of it`() throws {
    let page = String(decoding: PackageResources.status_html, as: UTF8.self)
    let values = try values()
    var used: Set<Substring> = []

    for (index, part) in page.split(separator: "<template data-bind-each=\"").enumerated() {
      let halves = index == 0 ? ["", part] : part.split(separator: "</template>", maxSplits: 1)
      if index > 0 {
        let list = halves[0].prefix { $0 != "\"" }
        used.insert(list)
        let row = try #require((values[String(list)] as? [Any])?.first, "the page names the list \(list)")
        for name in names(in: halves[0].dropFirst(list.count)) {
          #expect(value(at: name, in: row) != nil, "a row of \(list) has no \(name)")
        }
      }
      for name in names(in: halves[1]) {
        used.insert(name.prefix { $0 != "." })
        #expect(value(at: name, in: values) != nil, "the screen has no \(name)")
      }
    }

    #expect(Set(values.keys) == Set(used.map(String.init)))
  }

  /// The values of all attributes that bind.
  private func names(in html: Substring) -> [Substring] {
    html.matches(of: /data-bind-[a-z-]+="([^"]+)"/).map(\.output.1)
  }

  @Test func `has each text in both languages, and no style or script of its own`() {
    let page = String(decoding: PackageResources.status_html, as: UTF8.self)
    let english = page.matches(of: /<span lang="en">/).count
    let japanese = page.matches(of: /<span lang="ja">/).count

    #expect(english == japanese && english > 30)
    #expect(page.firstMatch(of: /style=|<style|<script>|onclick/) == nil)
  }
}
