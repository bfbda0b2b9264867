// SPDX-License-Identifier: Apache-2.0
import CBaseline
import GalleryScreens
import Musubi
import MusubiBinding
import MusubiServer
import MusubiSession
import MusubiWire

/// The bytes that the server counts for the pages of each gallery screen, beside those that the allocator has handed out.
///
/// Sessions have no sockets here: what a connection takes is measured by `memory`.
enum HeapBenchmark {
  private static let pages = 1_000

  /// One row.
  struct Row: Encodable {
    let mode: String
    let screen: String
    let counted: Double
    let heap: Double
  }

  static func run(_ options: Options, _ report: Report) async throws(BenchError) {
    var application = Application()
    do { try await Gallery.addScreens(to: &application) } catch { throw BenchError("the gallery: \(error)") }
    let screenBytes = ScreenBytes(
      measuring: application.routes, isHere: ProcessMemory.isOnThisThread
    ) { ProcessMemory.heapInUse }
    var rows: [Row] = []
    for route in application.routes {
      if let row = measure(route.name, application.routes, screenBytes) { rows.append(row) }
    }
    for row in rows { try report.record(row) }
    let (counted, heap) = (rows.reduce(0) { $0 + $1.counted }, rows.reduce(0) { $0 + $1.heap })
    report.find(
      .promise(atMost: 1.2), "heap: counted bytes and the allocator's, the larger divided by the smaller",
      max(counted / heap, heap / counted))
    report.budget("heap: counted / allocated", .atMost, 1.2, reached: counted / heap)
    report.budget("heap: counted / allocated", .atLeast, 0.8, reached: counted / heap)
    try report.table(
      "Bytes of a page without its connection, \(pages) pages of each screen",
      header: ["<screen", "counted", "allocated", "counted / allocated"],
      rows: rows.map {
        [$0.screen, readable($0.counted), readable($0.heap), readable($0.counted / $0.heap, decimals: 2)]
      })
  }

  /// Opens a screen's pages on a loop of their own; nil if its address needs an id.
  static func measure(_ screen: String, _ routes: [ScreenRoute], _ screenBytes: ScreenBytes) -> Row? {
    var entropy: UInt64 = 0
    var environment = LoopEnvironment(
      clock: { .zero }, wallClock: { 0 },
      entropy: { count in
        (0..<count).map { index in
          if index == 0 { entropy += 1 }
          return UInt8(truncatingIfNeeded: entropy >> UInt64(8 * (index % 8)))
        }
      }, sha256: Cryptography.sha256)
    environment.screenBytes = screenBytes
    environment.connectionBytes = 0
    environment.isOnLoop = ProcessMemory.isOnThisThread
    // Answers of the contents' database come too late for the measurement.
    environment.enqueue = { _ in }
    let sessions = SessionLoop(
      routes: routes, configuration: SessionConfiguration(), environment: environment)
    var pages: [Page] = []
    pages.reserveCapacity(Self.pages + 1)
    // The first page pays for what the loop sets up once.
    open(screen, "first", sessions, &pages)
    let (countedBefore, before) = (sessions.countedBytes, ProcessMemory.heapInUse)
    for number in 0..<Self.pages { open(screen, "\(number)", sessions, &pages) }
    guard pages.allSatisfy({ $0.visit != nil && !$0.isClosed }) else { return nil }
    let handles = Self.pages * Page.bytes
    return Row(
      mode: Mode.heap.rawValue, screen: screen,
      counted: Double(sessions.countedBytes - countedBefore) / Double(Self.pages),
      heap: Double(ProcessMemory.heapInUse - before - handles) / Double(Self.pages))
  }

  private static func open(_ screen: String, _ room: String, _ sessions: SessionLoop, _ pages: inout [Page]) {
    let page = Page()
    pages.append(page)
    sessions.admit(ConnectionRequest(screen: screen, query: ["room": room, "edits": "1"])) { admission in
      guard case .accepted(let request) = admission else { return }
      page.visit = sessions.connect(request, page)
    }
    sessions.finishTurns()
    var out = ByteBuffer()
    _ = page.visit?.write(into: &out, limit: 65_536)
    sessions.endIteration()
  }

  /// The connection of one page.
  private final class Page: ConnectionHandle {
    /// What it takes itself, with its place in the list.
    static let bytes = 56
    var visit: (any ConnectionHandler)?
    var isClosed = false

    func wake() {}
    func close(_ end: ConnectionEnd) { isClosed = true }
    func setReading(_ isReading: Bool) {}
  }
}
