// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for `Date`, which the browser writes in its own time zone.
import Foundation

/// What the status screen shows of a report, and of those before it.
struct StatusPage {
  /// A loop that needs so many seconds, for an answer or for an iteration, is marked: the log calls it long, too.
  private static let long = 0.1
  /// A lag below so many seconds says nothing, and is another each time.
  private static let short = 0.001
  /// So many screens are listed.
  private static let maxScreens = 10

  private let report: ServerReport
  private let history: ReportHistory
  private let language: StatusLanguage

  /// nil before the first report.
  init?(_ history: ReportHistory, _ language: StatusLanguage) {
    guard let report = history.newest else { return nil }
    self.report = report
    self.history = history
    self.language = language
  }

  /// The title, which a tab in the background shows, too.
  var title: String {
    (verdict.tone == "notice" ? "" : "⚠ ") + language.text("Server status", "サーバーの状態")
  }

  /// What to look at.
  var verdict: StatusRows.Verdict {
    var found: [String] = []
    if report.isDraining {
      found.append(
        language.text("The server is stopping; its pages are sent away.", "サーバーは停止中です。ページを切り離しています。"))
    }
    if report.storeFails {
      found.append(language.text("The store fails; the log says why.", "ストアへの書き込みに失敗しています。理由はログにあります。"))
    }
    let tone = found.isEmpty ? "warning" : "danger"
    for loop in loops where loop.isLate {
      found.append(language.text("\(loop.name) answers late.", "\(loop.name)の応答が遅れています。"))
    }
    let near =
      budgets.count(where: \.share.isNear) + peers.count(where: \.share.isNear)
      + loops.count { $0.share?.isNear == true }
    if near > 0 {
      let english = near == 1 ? "1 value is near its limit." : "\(near) values are near their limits."
      found.append(language.text(english, "上限に近い値が\(near)件あります。"))
    }
    guard found.isEmpty else { return StatusRows.Verdict(text: found.joined(separator: " "), tone: tone) }
    return StatusRows.Verdict(text: language.text("Nothing is near a limit.", "上限に近いものはありません。"))
  }

  /// The server as a whole.
  var server: StatusRows.Server {
    func sum(_ counter: KeyPath<ServerReport.Loop, Int>) -> String {
      language.count(report.loops.reduce(0) { $0 + $1[keyPath: counter] })
    }
    let sent = report.rate(of: \ServerReport.Loop.bytesSent, since: history.previous)
    return StatusRows.Server(
      started: Date(timeIntervalSince1970: report.started.rounded()),
      uptime: language.span(report.time - report.started),
      connections: sum(\.connections), connected: sum(\.connectedSessions),
      waiting: sum(\.waitingSessions), stored: sum(\.storedSessions),
      inputs: language.rate(report.rate(of: \ServerReport.Screen.inputs, since: history.previous)),
      turns: language.rate(report.rate(of: \ServerReport.Screen.turns, since: history.previous)),
      bytesSent: sent.map { language.bytes(Int($0)) } ?? "–")
  }

  /// What all loops share.
  var budgets: [StatusRows.Budget] {
    let limits = report.loops.compactMap(\.maxBytes)
    let budget = limits.isEmpty ? nil : limits.reduce(0, +)
    let bytes = report.loops.reduce(0) { $0 + $1.bytes }
    let shares = [
      (
        "process", language.text("Memory of the process", "プロセスのメモリ"), report.residentBytes,
        report.maxResidentBytes
      ),
      ("rooms", language.text("Sessions and rooms", "セッションと部屋"), bytes, budget),
      (
        "store", language.text("Store on the disk", "ディスク上のストア"), report.storedBytes ?? 0,
        report.maxStoredBytes
      ),
    ]
    return shares.compactMap { id, name, used, limit in
      StatusRows.Share(used, of: limit, text: language.bytes)
        .map { StatusRows.Budget(id: id, name: name, share: $0) }
    }
  }

  /// The event loops.
  var loops: [StatusRows.Loop] {
    report.loops.map { loop in
      StatusRows.Loop(
        id: loop.index, name: language.text("Loop \(loop.index)", "ループ\(loop.index)"),
        lag: loop.lag < Self.short ? "< 1 ms" : language.duration(loop.lag), isLate: loop.lag >= Self.long,
        longest: language.duration(loop.longestIteration), isLong: loop.longestIteration >= Self.long,
        commits: language.duration(loop.commits.bound(of: 0.99)),
        connections: language.count(loop.connections), bytes: language.bytes(loop.bytes),
        share: StatusRows.Share(loop.bytes, of: loop.maxBytes, text: language.bytes))
    }
  }

  /// The busiest rooms.
  var rooms: [StatusRows.Room] {
    var seen: [String: Int] = [:]
    return report.busiestRooms.map { room in
      // Sessions' own rooms have no name that tells them apart.
      let name = "\(room.screen)/\(room.name)/\(room.loop)"
      seen[name, default: 0] += 1
      return StatusRows.Room(
        id: "\(name)/\(seen[name] ?? 0)", screen: room.screen, name: room.name,
        turns: language.number(room.turnsPerSecond), pages: language.count(room.pages),
        bytes: language.bytes(room.bytes), loop: "\(room.loop)")
    }
  }

  /// The slowest screens: first those of the last minute, then those of which it has nothing.
  var screens: [StatusRows.Screen] {
    let before = (history.base?.screens ?? []).reduce(into: [:]) { $0[$1.name] = $1 }
    let span = report.time - (history.base?.time ?? report.time)
    let recently =
      span >= ReportHistory.reach
      ? language.text("last minute", "直近1分")
      : language.text("last \(language.span(span))", "直近\(language.span(span))")
    let measured = report.screens.compactMap { screen -> (isRecent: Bool, ServerReport.Screen)? in
      var recent = screen
      recent.turnTime = screen.turnTime.since(before[screen.name]?.turnTime ?? .init())
      recent.handOver = screen.handOver.since(before[screen.name]?.handOver ?? .init())
      if history.base != nil, recent.turnTime.count > 0 { return (true, recent) }
      return screen.turnTime.count > 0 ? (false, screen) : nil
    }
    let slowest = measured.sorted { left, right in
      guard left.isRecent == right.isRecent else { return left.isRecent }
      return Self.slowness(left.1) > Self.slowness(right.1)
    }
    return slowest.prefix(Self.maxScreens).map { isRecent, screen in
      StatusRows.Screen(
        id: screen.name,
        turnHalf: language.duration(screen.turnTime.bound(of: 0.5)),
        turnMost: language.duration(screen.turnTime.bound(of: 0.99)),
        handOverHalf: language.duration(screen.handOver.bound(of: 0.5)),
        handOverMost: language.duration(screen.handOver.bound(of: 0.99)),
        measured: language.count(screen.turnTime.count),
        since: isRecent ? recently : language.text("since start", "起動以来"))
    }
  }

  private static func slowness(_ screen: ServerReport.Screen) -> (Double, Double) {
    (screen.turnTime.bound(of: 0.99)?.seconds ?? 0, screen.turnTime.mean)
  }

  /// The peers that have much.
  var peers: [StatusRows.Peer] {
    let kinds = [
      "connections": language.text("connections", "接続"), "rooms": language.text("rooms", "部屋"),
      "bytes": language.text("memory", "メモリ"), "stored": language.text("store", "ストア"),
    ]
    return report.peers.compactMap { peer in
      StatusRows.Share(
        peer.used, of: peer.limit,
        text: ["bytes", "stored"].contains(peer.kind) ? language.bytes : language.count
      )
      .map {
        StatusRows.Peer(
          id: "\(peer.kind) \(peer.peer)", peer: peer.peer, kind: kinds[peer.kind] ?? peer.kind, share: $0)
      }
    }
  }

  /// The newest refusals.
  var refusals: [StatusRows.Refusal] {
    report.newestRefusals.map { refusal in
      // Each report computes the time again; its fractions differ.
      let time = refusal.time.rounded()
      return StatusRows.Refusal(
        id: "\(Int(time)) \(refusal.reason) \(refusal.peer)",
        time: Date(timeIntervalSince1970: time), reason: refusal.reason, peer: refusal.peer,
        count: language.count(refusal.count))
    }
  }

  /// The reasons of all refusals, the most frequent first.
  var reasons: [StatusRows.Reason] {
    report.refusals
      .sorted { left, right in (right.value, left.key) < (left.value, right.key) }
      .map { reason, count in StatusRows.Reason(id: reason, count: language.count(count)) }
  }
}
