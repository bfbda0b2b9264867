// SPDX-License-Identifier: Apache-2.0

/// One of the things that can be measured.
enum Mode: String, CaseIterable {
  case echo, fanout, idle, list, memory, churn, join, resume, tls, count, codec, text, hub, heap, left, rx,
    ways
  case store, cluster, curves, loops, soak, peers

  /// The modes that run if none is named; the others take minutes, or programs from elsewhere.
  static let standard: [Mode] = [
    .echo, .fanout, .idle, .list, .memory, .churn, .join, .resume, .tls, .count, .codec, .text, .hub,
    .heap, .left, .rx, .ways,
  ]

  /// What the mode measures, for the help.
  var summary: String {
    switch self {
    case .echo: "event -> patch at the sender; 1, 100 and 1,000 connections, 1 and 16 in flight"
    case .fanout: "one publishes, 100 and 1,000 receive; 1 and 16 publications in flight"
    case .idle: "90 active connections beside 0, 10,000 and 19,000 idle ones"
    case .list: "one row of a list of 1,000 changes"
    case .memory: "user memory of each idle session, at 10,000 and 19,000"
    case .churn: "user memory after 100,000 visits (--visits) of sessions that came and left"
    case .join: "sessions joined per second: connect, handshake, first snapshot, leave"
    case .resume: "sessions resumed per second: connect, handshake, resume, lose the connection"
    case .tls: "joins by TLS, whole and resumed, beside openssl speed; user memory of an idle session"
    case .count: "system calls and heap allocations per event, which do not vary (also: --count)"
    case .codec: "frames encoded and decoded, nanoseconds each, beside Foundation"
    case .text: "a key in the middle of a text that ten people type, as the text grows"
    case .hub: "an event without sockets: rooms take turns, 1 and 16 in flight"
    case .heap: "the bytes that the server counts for 1,000 of each gallery screen, beside the allocator's"
    case .left: "a visit of the gallery's contents beside 10, 1,000 and 10,000 sessions that were left"
    case .rx: "the reactive core beside closures written by hand"
    case .ways:
      "the number screen in the four ways of writing a ViewModel: lines, an event, allocations, bytes"
    case .store: "events, joins and memory with sessions in SQLite, beside the same in memory"
    case .cluster: "rooms over a link, commits and take-overs of servers that share a PostgreSQL database"
    case .curves: "cost as pages, idle pages and rows grow; draws a chart with --chart"
    case .loops: "two event loops beside one: work per used core"
    case .soak: "half load for --minutes; fails if memory grows"
    case .peers: "a screen like number on NiceGUI, Bokeh and Shiny for Python (also: --peers)"
    }
  }

  /// The modes as lines of the help.
  static var help: String {
    allCases.map { mode in
      let name = mode.rawValue + String(repeating: " ", count: 10 - mode.rawValue.count)
      return "  \(name)\(mode.summary)"
    }.joined(separator: "\n")
  }
}
