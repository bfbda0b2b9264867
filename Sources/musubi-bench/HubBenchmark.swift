// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation
import GalleryScreens
import Musubi
import MusubiBinding
import MusubiServer
import MusubiSession
import MusubiStorage
import MusubiWire
import Synchronization

/// The number screen's events without sockets: frames go into a `SessionLoop`, and each page's frames come
/// out.
///
/// Rooms with one page each take turns, as connections do whose messages arrive at the same time; with a store each iteration
/// ends when its commit is in the file, and the CPU time is that of both threads. Counting instructions
/// (`valgrind --tool=callgrind`) of `--events N` and of twice as many tells what one event costs, whatever else runs.
enum HubBenchmark {
  /// One row.
  struct Row: Encodable {
    let mode: String
    let rooms: Int
    let inFlight: Int
    let isStored: Bool
    let reading: Stopwatch.Reading
  }

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    var rows: [Row] = []
    for rooms in options.connections ?? [1, 100] {
      for inFlight in options.inFlight ?? [1, 16] {
        for isStored in [false, true] {
          let stage = try Stage(rooms: rooms, inFlight: inFlight, isStored: isStored)
          if let events = options.events {
            try stage.run(events: events)
            continue
          }
          let reading = try Stopwatch(options).read { count throws(BenchError) in try stage.run(events: count)
          }
          rows.append(
            Row(
              mode: Mode.hub.rawValue, rooms: rooms, inFlight: inFlight, isStored: isStored, reading: reading)
          )
        }
      }
    }
    guard options.events == nil else { return }
    for row in rows { try report.record(row) }
    try report.table(
      "Events of sessions without sockets, CPU time of all threads",
      header: ["rooms", "in flight", "<sessions", "ns per event", "spread"],
      rows: rows.map { row in
        [
          readable(Double(row.rooms)), readable(Double(row.inFlight)),
          row.isStored ? "in SQLite" : "in memory",
          readable(row.reading.nanoseconds), readable(row.reading.spread * 100) + " %",
        ]
      })
  }

  /// Rooms and their pages; the first page of each types into the screen's field `number`.
  final class Stage {
    private let wires = Wires()
    @exclusivity(unchecked) private var pages: [Page] = []
    private let sessions: SessionLoop
    private let inFlight: Int
    private var numbers: [Int]
    private var message = ByteBuffer()
    private var out = ByteBuffer()
    /// What the store has answered; nil without one.
    private let answers: Answers?

    /// Virtual time, and how much of it each iteration takes; nil for the machine's.
    private let time: Time?
    private let pagesPerRoom: Int

    private final class Time {
      var now = Duration.zero
      let step: Duration

      init(_ step: Duration) { self.step = step }
    }

    init(
      screen: String = "number", rooms: Int, pages pagesPerRoom: Int = 1, inFlight: Int,
      isStored: Bool = false, step: Duration? = nil
    ) throws(BenchError) {
      var configuration = SessionConfiguration()
      configuration.messageRate = nil
      // Under a tool that counts, a turn takes long: nobody is to wait for it.
      configuration.roomShare = .seconds(3_600)
      let start = musubi_now_ns()
      var entropy: UInt8 = 0
      var application = Application()
      Gallery.addNumber(to: &application)
      NumberWays.add(to: &application)
      WideScreens.add(to: &application)
      PresenceBenchmark.add(to: &application)
      TextBenchmark.add(to: &application)
      time = step.map(Time.init)
      self.pagesPerRoom = pagesPerRoom
      var environment = LoopEnvironment(
        clock: { [time] in time?.now ?? .nanoseconds(Int64(musubi_now_ns() - start)) }, wallClock: { 0 },
        entropy: { count in
          (0..<count).map { _ in
            entropy &+= 1
            return entropy
          }
        }, sha256: Cryptography.sha256)
      answers = isStored ? try Answers() : nil
      if let answers {
        environment.store = answers.store
        environment.enqueue = { answers.add($0) }
      }
      sessions = SessionLoop(
        routes: application.routes, configuration: configuration, environment: environment)
      self.inFlight = inFlight
      numbers = Array(repeating: 0, count: rooms)
      for page in 0..<rooms * pagesPerRoom {
        let room = page / pagesPerRoom
        let page = Page(wires)
        pages.append(page)
        page.visit = sessions.connect(
          ConnectionRequest(screen: screen, query: ["room": "\(room)", "edits": "1"]), page)
      }
      try endIteration()
    }

    /// Has all pages show each other's carets, which are in the field.
    func showCarets() throws(BenchError) {
      for page in pages {
        message.removeAll()
        message.appendRaw(#"{"caret":"number","revision":0,"at":[0,0]}"#)
        page.visit?.receive(UnsafeRawBufferPointer(message.bytes), isText: true)
      }
      try endIteration()
    }

    /// Has the pages type, so many each in one iteration.
    func run(events: Int) throws(BenchError) {
      var left = events
      while left > 0 {
        for room in numbers.indices {
          for _ in 0..<inFlight { type(in: room) }
        }
        left -= numbers.count * inFlight
        try endIteration()
      }
    }

    /// Has all pages of the first room type a key over one in the middle of its text, in one iteration each time.
    ///
    /// None of them has seen what the others type meanwhile.
    func run(keys: Int, middle: Int) throws(BenchError) {
      var left = keys
      while left > 0 {
        for page in pages.indices {
          message.removeAll()
          message.appendRaw(#"{"input":"#)
          message.appendJSON(numbers[0] / pages.count + 1)
          message.appendRaw(#","name":"number","revision":"#)
          message.appendJSON(numbers[0])
          message.appendRaw(#","edits":[["#)
          message.appendJSON(middle + page)
          message.appendRaw(#",1,"b"]]}"#)
          pages[page].visit?.receive(UnsafeRawBufferPointer(message.bytes), isText: true)
        }
        numbers[0] += pages.count
        left -= pages.count
        try endIteration()
      }
    }

    /// Types eight digits over those that are there.
    private func type(in room: Int) {
      let number = numbers[room] + 1
      numbers[room] = number
      message.removeAll()
      message.appendRaw(#"{"input":"#)
      message.appendJSON(number)
      message.appendRaw(#","name":"number","revision":"#)
      message.appendJSON(number - 1)
      message.appendRaw(number == 1 ? #","edits":[[0,1,""# : #","edits":[[0,8,""#)
      message.appendJSON(10_000_000 + number % 10_000_000)
      message.appendRaw(#""]]}"#)
      pages[room * pagesPerRoom].visit?.receive(UnsafeRawBufferPointer(message.bytes), isText: true)
    }

    private func endIteration() throws(BenchError) {
      if let time {
        time.now += time.step
        if let due = sessions.nextDeadline, due <= time.now { sessions.advance(to: time.now) }
      }
      sessions.finishTurns()
      if let answers {
        // What is typed waits for its commit.
        sessions.endIteration()
        answers.runNext()
        sessions.finishTurns()
      }
      // A page may be woken twice.
      var written = 0
      let woken = wires.takeWoken()
      for page in woken {
        out.removeAll()
        _ = page.visit?.write(into: &out, limit: 65_536)
        written += out.isEmpty ? 0 : 1
      }
      guard written > 0 || woken.isEmpty else { throw BenchError("pages that were woken got nothing") }
      sessions.endIteration()
      if let end = wires.end { throw BenchError("a page was sent away: \(end)") }
    }
  }

  /// A store in a folder of its own, and what it enqueues on the loop.
  private final class Answers: Sendable {
    let store: SQLiteSessionStore
    private let folder = FileManager.default.temporaryDirectory.appending(path: "musubi-bench-\(UUID())").path
    private let works = Mutex<[@Sendable () -> Void]>([])
    private let count = DispatchSemaphore(value: 0)

    init() throws(BenchError) {
      do { store = try SQLiteSessionStore(folder: folder) } catch { throw BenchError("\(error)") }
    }

    deinit {
      do { try FileManager.default.removeItem(atPath: folder) } catch { print("\(folder) stays: \(error)") }
    }

    func add(_ work: @escaping @Sendable () -> Void) {
      works.withLock { $0.append(work) }
      count.signal()
    }

    /// Waits for the next one, and runs it.
    func runNext() {
      count.wait()
      works.withLock { $0.removeFirst() }()
    }
  }

  /// Notes who is to be served.
  private final class Wires {
    @exclusivity(unchecked) var woken: [Page] = []
    var end: ConnectionEnd?

    func takeWoken() -> [Page] {
      defer { woken.removeAll(keepingCapacity: true) }
      return woken
    }
  }

  /// The connection of one page.
  private final class Page: ConnectionHandle {
    private let wires: Wires
    @exclusivity(unchecked) var visit: (any ConnectionHandler)?

    init(_ wires: Wires) { self.wires = wires }

    func wake() { wires.woken.append(self) }
    func close(_ end: ConnectionEnd) { wires.end = end }
    func setReading(_ isReading: Bool) {}
  }
}
