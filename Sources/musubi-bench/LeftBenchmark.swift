// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Dispatch
import Foundation
import GalleryScreens
import Musubi
import MusubiServer
import MusubiSession
import MusubiWire
import Synchronization

/// The costs of a visit of the gallery's contents beside sessions whose pages have left, and the bytes of such a session.
///
/// Each visit reads the list again, and all sessions share its relay: a session without a page must not hear of it.
enum LeftBenchmark {
  private static let counts = [10, 1_000, 10_000]
  private static let entries = 20

  /// One row.
  struct Row: Encodable {
    let mode: String
    let left: Int
    let microseconds: Double
    let spread: Double
    let heap: Double
    let counted: Double
  }

  static func run(_ options: Options, _ report: Report) async throws(BenchError) {
    var application = Application()
    do { try await Gallery.addScreens(to: &application) } catch { throw BenchError("the gallery: \(error)") }
    let stage = Stage(application)
    try stage.post(Self.entries)
    var rows: [Row] = []
    for count in Self.counts {
      let before = (heap: ProcessMemory.heapInUse, counted: stage.countedBytes, left: stage.left)
      stage.leave(count - stage.left)
      let made = Double(max(1, stage.left - before.left))
      let heap = Double(ProcessMemory.heapInUse - before.heap) / made
      let counted = Double(stage.countedBytes - before.counted) / made
      let times = (0..<max(5, options.repeatCount)).map { _ in stage.visit(10) }
      rows.append(
        Row(
          mode: Mode.left.rawValue, left: count, microseconds: median(times),
          spread: ((times.max() ?? 0) - (times.min() ?? 0)) / median(times), heap: heap, counted: counted))
    }
    for row in rows { try report.record(row) }
    if let few = rows.first, let many = rows.last {
      // Half of the threshold is what may not be missed: 1.33 stands for a visit that costs 1.5 times as much.
      report.find(
        .ratio, "left: CPU of a visit beside \(few.left) left sessions, divided by that beside \(many.left)",
        few.microseconds / many.microseconds)
      report.find(.size, "left: bytes of a left session of the contents, \(many.left) sessions", many.heap)
      report.budget(
        "left: a visit beside \(many.left) left sessions / beside \(few.left)", .atMost, 1.5,
        reached: many.microseconds / few.microseconds)
    }
    try report.table(
      "Visits of the contents (\(entries) entries) beside sessions that were left, CPU time of the process",
      header: ["left sessions", "us per visit", "spread", "bytes of each, allocated", "counted"],
      rows: rows.map {
        [
          readable(Double($0.left)), readable($0.microseconds), readable($0.spread * 100) + " %",
          readable($0.heap), readable($0.counted),
        ]
      })
  }

  /// A loop without sockets on this thread, whose answers come from others.
  private final class Stage {
    private let mailbox = Mailbox()
    private let sessions: SessionLoop
    private(set) var left = 0

    init(_ application: Application) {
      var entropy: UInt64 = 0
      var environment = LoopEnvironment(
        clock: { .zero }, wallClock: { 0 },
        entropy: { count in
          (0..<count).map { index in
            if index == 0 { entropy += 1 }
            return UInt8(truncatingIfNeeded: entropy >> UInt64(8 * (index % 8)))
          }
        }, sha256: Cryptography.sha256)
      environment.isOnLoop = ProcessMemory.isOnThisThread
      environment.enqueue = { [mailbox] work in mailbox.put(work) }
      sessions = SessionLoop(
        routes: application.routes, models: application.models, configuration: SessionConfiguration(),
        environment: environment)
    }

    var countedBytes: Int { sessions.countedBytes }

    /// Adds entries to the list.
    func post(_ count: Int) throws(BenchError) {
      let page = open()
      settle()
      for number in 0..<count {
        let text = "Entry \(number), as long as what people write who say hello to others on a list"
        for (index, frame) in [
          #""name":"title","value":"Number \#(number)""#, #""name":"inputText","value":"\#(text)""#,
          #""name":"tapButton""#,
        ].enumerated() {
          Array(#"{"input":\#(3 * number + index + 1),\#(frame)}"#.utf8).withUnsafeBytes {
            page.visit?.receive($0, isText: true)
          }
        }
        settle()
      }
      page.visit?.closed(saidFarewell: true)
      guard !page.isClosed else { throw BenchError("the contents refuse entries") }
    }

    /// Has so many pages come and go.
    func leave(_ count: Int) {
      for number in 0..<max(0, count) {
        comeAndGo()
        if number % 100 == 99 { settle() }
      }
      settle()
    }

    /// Visits one after the other, each with all that it brings about.
    ///
    /// - Returns: Microseconds of CPU for one.
    func visit(_ count: Int) -> Double {
      let start = musubi_process_cpu_ns(getpid())
      for _ in 0..<count {
        comeAndGo()
        settle()
      }
      return Double(musubi_process_cpu_ns(getpid()) - start) / 1e3 / Double(count)
    }

    private func comeAndGo() {
      let page = open()
      page.visit?.closed(saidFarewell: true)
      sessions.finishTurns()
      sessions.endIteration()
      left += 1
    }

    private func open() -> Page {
      let page = Page()
      sessions.admit(ConnectionRequest(screen: "contents", query: ["edits": "1"])) { [sessions] admission in
        guard case .accepted(let request) = admission else { return }
        page.visit = sessions.connect(request, page)
      }
      sessions.finishTurns()
      var out = ByteBuffer()
      _ = page.visit?.write(into: &out, limit: 65_536)
      sessions.endIteration()
      return page
    }

    /// Runs what other threads have for the loop, until nothing more comes.
    private func settle() {
      while let work = mailbox.take() {
        work.forEach { $0() }
        sessions.advance(to: .zero)
        sessions.finishTurns()
        sessions.endIteration()
      }
    }
  }

  /// Work from other threads.
  private final class Mailbox: Sendable {
    private let work = Mutex<[@Sendable () -> Void]>([])
    private let arrival = DispatchSemaphore(value: 0)

    func put(_ item: @escaping @Sendable () -> Void) {
      work.withLock { $0.append(item) }
      arrival.signal()
    }

    /// The work that has come; nil if none comes for a while.
    func take() -> [@Sendable () -> Void]? {
      guard arrival.wait(timeout: .now() + .milliseconds(3)) == .success else { return nil }
      return work.withLock { work in
        defer { work = [] }
        return work
      }
    }
  }

  /// The connection of one page.
  private final class Page: ConnectionHandle {
    var visit: (any ConnectionHandler)?
    var isClosed = false

    func wake() {}
    func close(_ end: ConnectionEnd) { isClosed = true }
    func setReading(_ isReading: Bool) {}
  }
}
