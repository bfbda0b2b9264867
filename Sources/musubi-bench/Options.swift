// SPDX-License-Identifier: Apache-2.0

/// What the command line asks for.
struct Options {
  /// What to measure, in the order in which it was named.
  var modes: [Mode] = []
  /// Which servers take part.
  var servers = ServerKind.standard
  /// A file that gets one JSON object per line.
  var jsonPath: String?
  /// Documents whose marked regions get the tables.
  var markdownPaths: [String] = []
  /// A file that gets the chart of the curves.
  var chartPath: String?
  /// A file of thresholds to hold, or to write.
  var checkPath: String?
  var updatePath: String?
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
  /// Sessions that come and leave, for `churn`.
  var visits: Int?
  /// How many events `hub` runs, for a tool that counts instructions; nil to measure time.
  var events: Int?
  /// The length of `soak`.
  var minutes = 10.0
  /// How Musubi's clients send text.
  var client = Client.edits
  /// The core of the servers, and the one of the load generator.
  var serverCore = 0, loadCore = 1
  /// The executable that serves Musubi's screens; this program itself if nil.
  var galleryPath: String?
  /// Event loops of Musubi's server, and of raw epoll.
  var loops = 1
  /// Whether the server's threads stay on its core.
  var pinsServer = true
  /// Whether Musubi's server stores its sessions; the mode `store` sets it.
  var storesSessions = false
  /// The database that Musubi's servers share; the mode `cluster` sets it.
  var cluster: ClusterPlace?
  /// What Musubi's server shows for TLS; the mode `tls` sets it.
  var identity: TestIdentity?
  /// Where another machine makes the loads; nil if this process does.
  var loadAddress: LoadAddress?
  /// Where this process makes loads for another machine; nil if it measures.
  var loadServer: LoadAddress?
  /// Who makes the loads.
  var loads: any LoadMaker = OwnLoads()
  /// The address at which servers listen: loads from elsewhere have to reach it.
  var host: String { loadAddress == nil ? "127.0.0.1" : "0.0.0.0" }
  /// The most connections that the system allows.
  var maxConnections = 1_000
  /// Show the help and measure nothing.
  var wantsHelp = false

  /// The ways to send typed text that Wire.md knows.
  enum Client: String, CaseIterable {
    case edits, plain
  }

  /// The time of one repeat, with the default of the mode.
  var repeatSeconds: Double { seconds ?? (isQuick ? 0.15 : 0.5) }
  /// The number of repeats, with the default of the mode.
  var repeatCount: Int { repeats ?? (isQuick ? 3 : 11) }

  static let help = """
    Usage: musubi-bench [MODE...] [OPTION...]

    Measures Musubi beside two bare servers in C, in the same run and pinned the same way. Run it from the
    repository's root.

    Modes (those from echo to rx if none is named):
    \(Mode.help)

    Options:
      --quick             fewer and shorter runs, under a minute
      --json FILE         also write one JSON object per line
      --markdown FILES    also put each table into these, between <!-- musubi-bench MODE --> and <!-- end -->
      --chart FILE        where curves draws its SVG chart
      --check FILE        compare with the thresholds of FILE, with three tries; exit status 1 if one is broken
      --update FILE       write the findings as thresholds into FILE
      --servers LIST      some of epoll,lws,node,musubi (all but node, which needs Debian's node-ws)
      --client KIND       edits or plain: how Musubi's clients send text (edits)
      --connections LIST  numbers of connections, such as 1,100
      --in-flight LIST    numbers of messages in flight, such as 1,16
      --seconds S         length of one repeat (0.5; quick: 0.15)
      --repeats N         repeats, of which the median counts (11; quick: 3)
      --visits N          sessions that come and leave in churn (100,000; quick: 10,000)
      --events N          hub runs so many events and measures nothing: for callgrind
      --minutes M         length of soak (10)
      --server-core N     core of the servers (0)
      --load-core N       core of the load generator (1)
      --load URL          another machine makes the load, such as tcp://10.0.0.2:7070; servers listen on 0.0.0.0
      --load-server URL   make loads for another machine, such as tcp://0.0.0.0:7070, and measure nothing
      --gallery PATH      measure this gallery executable, such as an older one
      --loops N           event loops of Musubi and raw epoll (1); more than one are not pinned to one core
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
      case "--peers": modes.append(.peers)
      case "--help", "-h": wantsHelp = true
      default: try take(option: word, from: &rest)
      }
    }
    if loadServer != nil, !modes.isEmpty || loadAddress != nil {
      throw BenchError("--load-server measures nothing; leave out the modes and --load")
    }
    if modes.isEmpty { modes = Mode.standard }
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
    case "--markdown": markdownPaths = value.split(separator: ",").map(String.init)
    case "--chart": chartPath = value
    case "--check": checkPath = value
    case "--update": updatePath = value
    case "--gallery": galleryPath = value
    case "--load": loadAddress = try Self.single(value, option) { LoadAddress($0) }
    case "--load-server": loadServer = try Self.single(value, option) { LoadAddress($0) }
    default: try take(option: option, number: value)
    }
  }

  private mutating func take(option: String, number value: String) throws(BenchError) {
    switch option {
    case "--servers": servers = try Self.list(value, option) { ServerKind(rawValue: $0) }
    case "--client": client = try Self.single(value, option) { Client(rawValue: $0) }
    case "--connections": connections = try Self.list(value, option, Self.positive)
    case "--in-flight": inFlight = try Self.list(value, option, Self.positive)
    case "--seconds": seconds = try Self.single(value, option, Self.duration)
    case "--repeats": repeats = try Self.single(value, option, Self.positive)
    case "--visits": visits = try Self.single(value, option) { Int($0).flatMap { $0 > 0 ? $0 : nil } }
    case "--events": events = try Self.single(value, option) { Int($0).flatMap { $0 > 0 ? $0 : nil } }
    case "--minutes": minutes = try Self.single(value, option, Self.duration)
    case "--server-core": serverCore = try Self.single(value, option, Self.core)
    case "--load-core": loadCore = try Self.single(value, option, Self.core)
    default:
      loops = try Self.single(value, option, Self.positive)
      pinsServer = loops == 1
    }
  }

  private static let optionsWithValue: Set<String> = [
    "--json", "--markdown", "--chart", "--check", "--update", "--servers", "--client", "--connections",
    "--in-flight", "--seconds", "--repeats", "--visits", "--minutes", "--server-core", "--load-core",
    "--loops", "--gallery", "--events", "--load", "--load-server",
  ]

  private static func positive(_ text: String) -> Int? { Int(text).flatMap { (1...60_000) ~= $0 ? $0 : nil } }

  private static func duration(_ text: String) -> Double? { Double(text).flatMap { $0 > 0 ? $0 : nil } }

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
