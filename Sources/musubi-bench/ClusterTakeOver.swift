// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiClient
import MusubiSession
import PostgresServers

/// How long pages wait when one of three servers is killed: until the first acknowledgement on another connection.
///
/// 200 pages in 20 rooms tap some ten times a second. At the kill each of them has a tap on its way. They come back with
/// the pauses of a browser's page, to any server that lives, as behind a balancer that passes over a dead one.
enum ClusterTakeOver {
  /// The pages of one kind, over all kills.
  struct Row: Encodable {
    let mode = Mode.cluster.rawValue
    let pages: String
    let count: Int
    let p50Seconds: Double
    let p99Seconds: Double
    let longestSeconds: Double
  }

  static func run(_ database: PostgresServer, _ options: Options, _ report: Report) throws(BenchError) {
    var own = options
    own.pinsServer = false
    let servers = try ClusterServers(3, on: database, balanceAfter: 1, own)
    defer { servers.stop() }
    let crowd = Crowd(servers)
    var (ofItsRooms, ofItsConnections): ([Double], [Double]) = ([], [])
    for _ in 0..<(options.repeats ?? (options.isQuick ? 1 : 5)) {
      try crowd.settle()
      let (rooms, connections) = try crowd.kill()
      ofItsRooms += rooms
      ofItsConnections += connections
      try servers.add()
    }
    guard !ofItsRooms.isEmpty else { throw BenchError("the servers that were killed had no room") }
    let rows = [
      row("whose rooms it had", ofItsRooms), row("that were only connected to it", ofItsConnections),
    ]
    for row in rows { try report.record(row) }
    report.budget("first acknowledgement after a kill, p50 s", .atMost, 1, reached: rows[0].p50Seconds)
    report.budget("first acknowledgement after a kill, p99 s", .atMost, 2, reached: rows[0].p99Seconds)
    if crowd.lostSessions > 0 { report.remark("\(crowd.lostSessions) sessions were lost, which must not be") }
    try report.table(
      "First acknowledgement after a kill of one of three servers, in seconds",
      header: ["<pages", "count", "p50", "p99", "longest"],
      rows: rows.map { row in
        [
          row.pages, readable(Double(row.count)), readable(row.p50Seconds, decimals: 2),
          readable(row.p99Seconds, decimals: 2), readable(row.longestSeconds, decimals: 2),
        ]
      })
  }

  private static func row(_ pages: String, _ seconds: [Double]) -> Row {
    let sorted = seconds.sorted()
    return Row(
      pages: pages, count: sorted.count, p50Seconds: median(sorted),
      p99Seconds: sorted.isEmpty ? 0 : sorted[sorted.count * 99 / 100], longestSeconds: sorted.last ?? 0)
  }

  /// The pages, all on this thread.
  private final class Crowd {
    private let servers: ClusterServers
    private let pages: [TappingPage]
    private let rooms: [String]
    private var next = 0

    init(_ servers: ClusterServers) {
      self.servers = servers
      rooms = (0..<20).map { "room-\($0)" }
      let address = ServerAddress(host: "127.0.0.1", port: 0)
      pages = (0..<200).map { [rooms] number in TappingPage(room: rooms[number % 20], address: address) }
    }

    /// Sessions that did not go on.
    var lostSessions: Int { pages.reduce(0) { $0 + max(0, $1.begun - 1) } }

    /// Waits until the rooms are spread, and every page goes on.
    func settle() throws(BenchError) {
      let end = ContinuousClock.now + .seconds(180)
      repeat {
        guard .now < end else { throw BenchError("the servers do not share the slots within 180 s") }
        try drive(for: .milliseconds(500)) { false }
      } while try !servers.isBalanced()
      // Pages whose rooms have just moved come back. One that was here for less than five seconds would take the kill for
      // a further failure, and wait longer.
      try drive(for: .seconds(7)) { false }
      guard try drive(for: .seconds(60), until: { self.pages.allSatisfy(\.isOpen) }) else {
        throw BenchError("not every page has come back within 60 s")
      }
    }

    /// Kills the oldest server.
    ///
    /// - Returns: The seconds that pages have waited: those whose rooms it had, and those that it only served.
    func kill() throws(BenchError) -> (ofItsRooms: [Double], ofItsConnections: [Double]) {
      let owners = try servers.owners()
      let itsRooms = Set(
        rooms.filter { owners[RoomKey(screen: "number", name: $0, isPrivate: false).slot] == 0 })
      let port = servers.nodes[0].port
      let itsPages = pages.enumerated().filter { itsRooms.contains(rooms[$0.offset % 20]) }.map(\.element)
      let passengers = pages.enumerated().filter {
        !itsRooms.contains(rooms[$0.offset % 20]) && $0.element.connection.server.port == port
      }.map(\.element)
      let start = ContinuousClock.now
      servers.kill(0)
      for page in pages { page.awaitAnswer() }
      let all = itsPages + passengers
      guard try drive(for: .seconds(60), until: { all.allSatisfy { $0.firstAnswer != nil } }) else {
        throw BenchError("pages have no acknowledgement 60 s after the kill of a server")
      }
      func waits(_ pages: [TappingPage]) -> [Double] {
        pages.compactMap { $0.firstAnswer.map { start.duration(to: $0) / .seconds(1) } }
      }
      return (waits(itsPages), waits(passengers))
    }

    /// Has the pages tap until a condition holds; false if it does not for so long.
    @discardableResult
    private func drive(
      for duration: Duration, until isOver: () -> Bool
    ) throws(BenchError) -> Bool {
      let connections = pages.map(\.connection)
      let end = ContinuousClock.now + duration
      while true {
        let now = ContinuousClock.now
        for page in pages where page.step(now) || page.connection.status == .idle {
          next = (next + 1) % servers.nodes.count
          let port = servers.nodes[next].port
          try page.connect(to: ServerAddress(host: "127.0.0.1", port: port))
        }
        if isOver() { return true }
        guard now < end else { return false }
        let due = pages.map(\.due).filter { $0 > now }.min() ?? end
        ClientConnection.turn(connections, until: min(due, end))
      }
    }
  }
}
