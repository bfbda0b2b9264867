// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
import MusubiTesting

/// People who type into the rows of a list while rows are added, removed, brought back and moved: the real hub and real
/// clients on a network of virtual time.
package struct RowSimulation {
  private let node: NodePages?
  private let fault: Fault?
  private let isLong: Bool
  private let moves: SlotMoves?
  private let faults: NodeFaults?

  /// A simulation.
  ///
  /// - Parameters:
  ///   - node: Runs `row-pages.mjs`; of the pages half are of the browser client then.
  ///   - fault: A mistake that is to be found.
  ///   - isLong: Whether the list is a long one, of which each page looks at some rows.
  ///   - moves: How slots move between the loops of the server; nil for a server with one loop.
  ///   - faults: What happens to servers; nil if there is one.
  package init(
    node: NodePages? = nil, fault: Fault? = nil, isLong: Bool = false, moves: SlotMoves? = nil,
    faults: NodeFaults? = nil
  ) {
    self.faults = faults
    self.node = node
    self.fault = fault
    self.isLong = isLong
    self.moves = moves
  }

  /// The first seed whose run is not as it should be, with the reason.
  package func firstFailure(seeds: Range<UInt64>) -> String? {
    for seed in seeds {
      do {
        try run(seed)
      } catch {
        return "seed \(seed): \(error)"
      }
    }
    return nil
  }

  /// Runs the schedule of a seed.
  ///
  /// - Throws: `SimulationFailure` if an invariant does not hold.
  package func run(_ seed: UInt64) throws {
    let random = RandomSource(seed: seed)
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    // By classes of seeds, so that the other seeds stand for the same schedules as ever.
    let drawn = RowScreen.drawn[below(RowScreen.drawn.count)]
    let screen = seed % 8 == 5 && !isLong ? .model : drawn
    let slowest = [0, 20, 200, 1_500, 30_000][below(5)]
    let history = [1_024, 1_024, 12, 3][below(4)]
    let hasStore = below(3) == 0 || moves != nil || faults != nil
    let store = hasStore ? SimulatedStore() : nil
    var configuration = configuration(seed, history: history)
    // A pasted text goes in several frames where they are short. (The browser client's are of 16 KiB.) They have no room for
    // what a long list's row shows: the page would come back for each text, and again after a minute's way.
    let longest = node == nil ? [65_536, isLong ? 65_536 : 240][below(2)] : 65_536
    configuration.maxFrameBytes = longest
    let network = SimulatedNetwork(
      seed: seed, nodes: faults == nil ? 1 : 2 + below(2),
      loops: moves == nil && faults == nil ? 1 : 2 + below(2),
      latency: SimulatedNetwork.Latency(
        .milliseconds([slowest, slowest / 4, 0][below(3)]), .milliseconds(slowest)),
      configuration: configuration, store: store,
      routes: [screen.route(isLong: isLong)])
    var tooLong = 0
    network.onReceive = { payload, _ in tooLong = max(tooLong, payload.count - longest) }
    network.loopPause = .milliseconds([0, 0, 0, 30, 400][below(5)])
    let pages = try (0..<(1 + below(4))).map { number in
      let node = below(2) == 0 ? node : nil
      let client: any RowClient = try node.map { try NodeRowPage($0, number: number) } ?? SwiftRowPage()
      let kind = node == nil ? "page" : "browser page"
      return RowPage(client, network, screen: screen.rawValue, name: "\(kind) \(number)")
    }
    defer { network.end() }
    if let store {
      faults?.prepare(network, store, slot: screen.slot, below)
    }
    for page in pages {
      page.fault = fault
      page.connect()
    }
    network.run(until: .milliseconds(3 * slowest + 10))
    if let store { moves?.begin(on: network, store, below) }
    faults?.begin(on: network)
    var character = 0
    for _ in 0..<(8 + below(48)) {
      let gap = below(40) == 0 ? 150_000 : below(2 * (1 + max(slowest, 20) / [1, 4, 16][below(3)]))
      network.run(until: network.now + .milliseconds(gap))
      act(on: pages[below(pages.count)], below, &character, network, hasStore: hasStore)
    }
    for page in pages { page.link?.isStalled = false }
    moves?.end(on: network)
    if let store { faults?.end(on: network, store) }
    settle(pages, network, slowest)
    let witness = RowPage(SwiftRowPage(), network, screen: screen.rawValue, name: "witness")
    witness.connect()
    network.run(until: network.now + .milliseconds(4 * slowest) + .seconds(1))
    try check(pages, witness, screen, hasStore: hasStore)
    if let problem = store?.misfits.first { throw SimulationFailure(problem) }
    if tooLong > 0 { throw SimulationFailure("a frame was too long by \(tooLong) bytes") }
  }

  /// The limits of a seed's servers.
  private func configuration(_ seed: UInt64, history: Int) -> SessionConfiguration {
    var configuration = SessionConfiguration()
    configuration.maxLogTurns = history
    // A page gets a snapshot though the text's steps reach back, as where a turn has much else.
    configuration.maxTextHistory = seed % 4 == 2 ? 1_024 : history
    // A way back may take a minute here, and may be lost ten times in turn: sessions are not to end.
    configuration.sessionLifetime = .seconds(3_600)
    configuration.roomLifetime = configuration.sessionLifetime
    configuration.unusedSessionLifetime = configuration.sessionLifetime
    if faults != nil {
      // Each room has a crowd, and turns that keep some time between them in half of the schedules.
      configuration.leastCrowd = 1
      configuration.turnPausePerPage = .milliseconds([0, 0, 3, 200][Int(seed / 2 % 4)])
    }
    return configuration
  }

  private func act(
    on page: RowPage, _ below: (Int) -> Int, _ character: inout Int, _ network: SimulatedNetwork,
    hasStore: Bool
  ) {
    // Mostly the first rows, so that people meet.
    let row = below(below(3) + 1)
    switch below(100) {
    case 0..<55:
      let count = node == nil && below(12) == 0 ? 20 + below(60) : 1 + below(3) * below(2)
      page.type(character..<(character + count), row: row, at: [0, 1_000, below(1_001)][below(3)])
      character += count
    case 55..<62: page.delete(row: row, at: below(1_001))
    case 62..<66: page.tap("stamp", row: row)
    case 66..<71: page.tap("bounce", row: row)
    case 71..<75: page.tap("remove", row: row)
    case 75..<79: page.tap("back")
    case 79..<81: page.tap("add")
    case 81..<89: page.link?.drop()
    case 89..<92: page.reload()
    case 92..<95: page.link?.isStalled = true
    case 95..<98: page.link?.isStalled = false
    default:
      if let faults { return faults.kill(on: network) }
      hasStore ? network.restartServer() : page.link?.drop()
    }
  }

  private func settle(_ pages: [RowPage], _ network: SimulatedNetwork, _ slowest: Int) {
    for _ in 0..<100 {
      network.run(until: network.now + .milliseconds(8 * slowest) + .seconds(10))
      if pages.allSatisfy(\.isSettled) { break }
    }
    network.run(until: network.now + .milliseconds(4 * slowest) + .seconds(1))
  }

  // MARK: - Invariants

  private func check(_ pages: [RowPage], _ witness: RowPage, _ screen: RowScreen, hasStore: Bool) throws {
    for page in pages + [witness] { if let failure = page.failure { throw failure } }
    let rows = witness.rows
    guard !rows.isEmpty else { throw SimulationFailure("the server shows no rows") }
    for page in pages {
      guard page.isSettled else { throw SimulationFailure("\(page.name) still waits") }
      guard page.rows == rows else {
        throw SimulationFailure("\(page.name) shows \(page.rows), the server \(rows)")
      }
    }
    // A ViewModel forgets its late answer when the server is killed.
    if !(hasStore && screen == .late), let row = rows.first(where: { $0.title != $0.field }) {
      throw SimulationFailure("the ViewModel shows \"\(row.title)\", the field \"\(row.field)\"")
    }
    let deleted = pages.reduce(into: Set<Int>()) { $0.formUnion($1.deleted) }
    var counts: [Int: (count: Int, life: Int)] = [:]
    for row in rows {
      for number in row.field.unicodeScalars.compactMap(Typed.number) {
        counts[number] = ((counts[number]?.count ?? 0) + 1, row.life)
      }
    }
    for (page, key) in pages.flatMap({ page in page.keystrokes.map { (page, $0) } }) {
      let found = counts[key.number]
      let isAlive = rows.contains { $0.id == key.id && $0.life == key.life }
      guard isAlive else {
        // A snapshot does not tell whether a row without a document is the one that the page knew.
        if found != nil, page.snapshots == key.snapshots {
          throw SimulationFailure("character \(key.number) is in another row than it was typed into")
        }
        continue
      }
      // A row that a page saw before it was stored goes with a kill, and comes again with the input that has made it.
      let isLost = hasStore && page.orphans.contains(key.number)
      let expected = deleted.contains(key.number) || isLost ? 0...1 : 1...1
      guard expected.contains(found?.count ?? 0) else {
        throw SimulationFailure(
          "character \(key.number) of row \(key.id) is there \(found?.count ?? 0) times; the rows are \(rows)"
        )
      }
    }
  }
}
