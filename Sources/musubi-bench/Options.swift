// SPDX-License-Identifier: Apache-2.0

/// One of the things that can be measured.
enum Mode: String, CaseIterable {
  case echo, fanout, idle, memory, join, count, codec, rx
}

/// What the command line asks for.
struct Options {
  /// What to measure, in the order in which it was named.
  var modes: [Mode] = []
  /// Which servers take part.
  var servers: [ServerKind] = ServerKind.allCases
  /// A file that gets one JSON object per line.
  var jsonPath: String?
  /// Fewer and shorter runs, under a minute in all.
  var isQuick = false
  /// How long each repeat sends.
  var seconds: Double?
  /// How often each measurement is repeated; the median counts.
  var repeats: Int?
  /// Connections that take part, instead of a mode's own numbers.
  var connections: [Int]?
  /// Messages in flight per connection, instead of a mode's own numbers.
  var inFlight: [Int]?
  /// How Musubi's clients send text.
  var client = Client.edits
  /// The core of the servers, and the one of the load generator.
  var serverCore = 0, loadCore = 1
  /// The executable that serves Musubi's screens; this program itself if nil.
  var galleryPath: String?
  /// Event loops of Musubi's server.
  var loops = 1
  /// The most connections that the system allows.
  var mostConnections = 1_000
  /// Show the help and measure nothing.
  var wantsHelp = false

  /// The ways to send typed text that Wire.md knows.
  enum Client: String, CaseIterable {
    case edits, plain
  }

  /// The time of one repeat, with the default for what was asked.
  var repeatSeconds: Double { seconds ?? (isQuick ? 0.25 : 1) }
  /// The number of repeats, with the default for what was asked.
  var repeatCount: Int { repeats ?? (isQuick ? 3 : 5) }

  static let help = """
    Usage: musubi-bench [MODE...] [OPTION...]

    Measures Musubi beside two bare servers in C, in the same run and pinned the same way.

    Modes (all of them if none is named):
      echo      event -> patch at the sender; 1, 100 and 1,000 connections, 1 and 16 in flight
      fanout    one publishes, 100 and 1,000 receive; 1 and 16 publications in flight
      idle      90 active connections beside 0, 10,000 and 19,000 idle ones
      memory    user memory of each idle session, at 10,000 and 19,000
      join      sessions joined per second: connect, handshake, first snapshot, leave
      count     system calls per event, which do not vary (also: --count)
      codec     frames encoded and decoded, nanoseconds each, beside Foundation
      rx        the reactive core beside closures written by hand

    Options:
      --quick             fewer and shorter runs, under a minute
      --json FILE         also write one JSON object per line
      --servers LIST      some of epoll,lws,musubi (all)
      --client KIND       edits or plain: how Musubi's clients send text (edits)
      --connections LIST  numbers of connections, such as 1,100
      --in-flight LIST    numbers of messages in flight, such as 1,16
      --seconds S         length of one repeat (1; quick: 0.25)
      --repeats N         repeats, of which the median counts (5; quick: 3)
      --server-core N     core of the servers (0)
      --load-core N       core of the load generator (1)
      --gallery PATH      measure this gallery executable, such as an older one; run from the repository's root
      --loops N           event loops of Musubi's server (1); more than one are not pinned to one core
      --help              this text
    """
}

extension Options {
  /// Reads the command line.
  ///
  /// - Parameter arguments: The words after the program's name.
  /// - Throws: `BenchError` with the word that is wrong and what would be right.
  init(arguments: [String]) throws(BenchError) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if let mode = Mode(rawValue: word) {
        modes.append(mode)
        continue
      }
      switch word {
      case "--quick": isQuick = true
      case "--count": modes.append(.count)
      case "--help", "-h": wantsHelp = true
      default: try take(option: word, from: &rest)
      }
    }
    if modes.isEmpty { modes = Mode.allCases }
  }

  private mutating func take(option: String, from rest: inout ArraySlice<String>) throws(BenchError) {
    guard option.hasPrefix("--") else {
      let known = Mode.allCases.map(\.rawValue).joined(separator: ", ")
      throw BenchError("there is no mode \"\(option)\"; the modes are \(known)")
    }
    guard Self.optionsWithValue.contains(option) else {
      throw BenchError("there is no option \(option); --help lists them")
    }
    guard let value = rest.popFirst() else { throw BenchError("\(option) needs a value") }
    switch option {
    case "--json": jsonPath = value
    case "--servers": servers = try Self.list(value, option) { ServerKind(rawValue: $0) }
    case "--client": client = try Self.single(value, option) { Client(rawValue: $0) }
    case "--connections": connections = try Self.list(value, option, Self.positive)
    case "--in-flight": inFlight = try Self.list(value, option, Self.positive)
    case "--seconds": seconds = try Self.single(value, option) { Double($0).flatMap { $0 > 0 ? $0 : nil } }
    case "--repeats": repeats = try Self.single(value, option, Self.positive)
    case "--server-core": serverCore = try Self.single(value, option, Self.core)
    case "--load-core": loadCore = try Self.single(value, option, Self.core)
    case "--loops": loops = try Self.single(value, option, Self.positive)
    default: galleryPath = value
    }
  }

  private static let optionsWithValue: Set<String> = [
    "--json", "--servers", "--client", "--connections", "--in-flight", "--seconds", "--repeats",
    "--server-core",
    "--load-core", "--loops", "--gallery",
  ]

  private static func positive(_ text: String) -> Int? { Int(text).flatMap { (1...60_000) ~= $0 ? $0 : nil } }

  private static func core(_ text: String) -> Int? { Int(text).flatMap { (0..<1024) ~= $0 ? $0 : nil } }

  private static func single<Value>(
    _ text: String, _ option: String, _ parse: (String) -> Value?
  ) throws(BenchError) -> Value {
    guard let value = parse(text) else { throw BenchError("\(option) does not take \"\(text)\"") }
    return value
  }

  private static func list<Value>(
    _ text: String, _ option: String, _ parse: (String) -> Value?
  ) throws(BenchError) -> [Value] {
    var values: [Value] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      values.append(try single(String(part), option, parse))
    }
    return values
  }
}
