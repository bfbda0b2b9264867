// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
package import MusubiTesting

/// Runs schedules: the real hub and real clients on a network of virtual time, and looks at what came of it.
package struct Simulation {
  private let node: NodePages?
  private let fault: Fault?
  private let asksSlowly: Bool
  private let crowd: CrowdFaults?
  private let sabotage: ((SimulatedNetwork) -> Void)?

  /// A simulation.
  ///
  /// - Parameters:
  ///   - node: Runs the pages of the browser client, if schedules have some.
  ///   - fault: A mistake that is to be found.
  ///   - asksSlowly: Whether the application takes its time to say who a page is.
  ///   - crowd: What happens to servers; nil if there is one.
  ///   - sabotage: Is called after each step, and makes another mistake that is to be found.
  package init(
    node: NodePages?, fault: Fault? = nil, asksSlowly: Bool = false, crowd: CrowdFaults? = nil,
    sabotage: ((SimulatedNetwork) -> Void)? = nil
  ) {
    self.node = node
    self.fault = fault
    self.asksSlowly = asksSlowly
    self.crowd = crowd
    self.sabotage = sabotage
  }

  /// Runs a schedule.
  ///
  /// - Throws: `SimulationFailure` if an invariant does not hold.
  package func run(_ schedule: Schedule) throws {
    let network = network(of: schedule)
    let log = HandOverLog(limit: schedule.limit)
    let pages = try schedule.pages.enumerated().map { index, kind in
      SimulatedPage(
        try client(kind, number: index), network, screen: schedule.screen.rawValue, name: "page \(index)",
        log: log)
    }
    network.onReceive = { payload, link in (link.peer as? SimulatedPage)?.reached(payload) }
    defer {
      network.end()
      for page in pages { page.newestRevision = { 0 } }
    }
    let random = RandomSource(seed: schedule.seed)
    crowd?.begin(on: network, schedule, random)
    for page in pages {
      page.fault = fault
      page.newestRevision = { pages.map(\.report.revision).max() ?? 0 }
      page.connect()
    }
    var deleted: Set<Int> = []
    for action in schedule.actions {
      network.run(until: .milliseconds(action.time))
      crowd?.happen(on: network, random, always: action.isRestart)
      if crowd != nil, action.isRestart { continue }
      if action.isRestart { log.restart() }
      perform(action.kind, on: pages[action.page], network, deleted: &deleted)
    }
    crowd?.end(on: network)
    for page in pages {
      page.link?.isStalled = false
      page.flush()
    }
    settle(pages, network, schedule)
    if schedule.hasRefusals {
      // What did not fit stays in the field of its typist until that person makes it shorter.
      for page in pages { page.clear() }
      settle(pages, network, schedule)
    }
    let witness = SimulatedPage(SwiftPage(), network, screen: schedule.screen.rawValue, name: "witness")
    witness.connect()
    settle(pages + [witness], network, schedule)
    try check(schedule, pages, witness: witness, deleted: deleted)
  }

  /// The server of a schedule, or the servers.
  private func network(of schedule: Schedule) -> SimulatedNetwork {
    var configuration = SessionConfiguration()
    configuration.maxLogTurns = schedule.history
    configuration.maxTextHistory = schedule.textHistory
    configuration.maxTextBytes = schedule.limit
    crowd?.prepare(&configuration, schedule)
    let network = SimulatedNetwork(
      seed: schedule.seed, nodes: crowd == nil ? 1 : CrowdFaults.servers,
      loops: crowd == nil ? 1 : CrowdFaults.loops,
      latency: SimulatedNetwork.Latency(
        .milliseconds(schedule.latency.lowerBound), .milliseconds(schedule.latency.upperBound)),
      configuration: configuration, routes: [schedule.screen.route(fault: fault)],
      authorize: { request in
        Visitor(
          id: request.headers["cookie"], validFor: schedule.trust.map { .milliseconds($0) })
      })
    network.loopPause = .milliseconds(schedule.pause)
    if let sabotage { network.onStep = { [unowned network] _ in sabotage(network) } }
    if asksSlowly {
      network.answerDelay = { [random = network.random] in .milliseconds(Int(random.next() >> 33) % 100) }
    }
    return network
  }

  /// Lets time pass until all pages have come to rest, and what was on its way to them has arrived.
  private func settle(_ pages: [SimulatedPage], _ network: SimulatedNetwork, _ schedule: Schedule) {
    let slowest = schedule.latency.upperBound
    // A room that keeps only few steps sends those that are behind away again and again; each time it gets further. And
    // whoever is trusted for a time only may be on its way back at any moment, also when the others have settled.
    for _ in 0..<100 {
      network.run(until: network.now + .milliseconds(8 * slowest) + .seconds(10))
      guard pages.allSatisfy(\.isSettled) else { continue }
      network.run(until: network.now + .milliseconds(4 * slowest) + .seconds(1))
      if pages.allSatisfy(\.isSettled) { return }
    }
  }

  private func client(_ kind: Schedule.PageKind, number: Int) throws -> any PageClient {
    switch kind {
    case .swift: return SwiftPage()
    case .browser:
      guard let node else { throw SimulationFailure("browser pages need node") }
      return try NodePage(node, number: number)
    }
  }

  private func perform(
    _ kind: Schedule.Action.Kind, on page: SimulatedPage, _ network: SimulatedNetwork, deleted: inout Set<Int>
  ) {
    switch kind {
    case .type(let first, let count, let isHeld): page.type(first..<(first + count), isHeld: isHeld)
    case .exchange(let number, let isHeld): deleted.formUnion(page.exchange(number, isHeld: isHeld))
    case .move(let thousandths): page.move(thousandths)
    case .delete: deleted.formUnion(page.erase(page.before))
    case .erase(let thousandths): deleted.formUnion(page.erase(page.place(thousandths)))
    case .tap: page.tap()
    case .flush: page.flush()
    case .drop: page.link?.drop()
    case .reload: page.reload()
    case .stall: page.link?.isStalled = true
    case .wake: page.link?.isStalled = false
    case .restart: network.restartServer()
    case .signIn(let number): page.signIn(number)
    }
  }

  // MARK: - Invariants

  private func check(
    _ schedule: Schedule, _ pages: [SimulatedPage], witness: SimulatedPage, deleted: Set<Int>
  ) throws {
    for page in pages + [witness] { if let failure = page.failure { throw failure } }
    guard let text = witness.report.text else { throw SimulationFailure("the server shows no text") }
    for page in pages {
      guard page.report.text == text, page.report.label == witness.report.label else {
        throw SimulationFailure(
          "\(page.name) shows \"\(page.report.text ?? "nothing")\" and \"\(page.report.label ?? "")\", "
            + "the server \"\(text)\" and \"\(witness.report.label ?? "")\"")
      }
      guard page.report.waiting == 0, page.report.pending.isEmpty else {
        throw SimulationFailure("\(page.name) still waits for \(page.report.waiting) inputs")
      }
    }
    if schedule.screen == .keep, let label = witness.report.label, label != text {
      throw SimulationFailure("the ViewModel was last given \"\(label)\", pages show \"\(text)\"")
    }
    guard !schedule.hasRefusals else { return }
    let places = Dictionary(
      text.unicodeScalars.enumerated().compactMap { place, scalar in
        Typed.number(scalar).map { ($0, [place]) }
      },
      uniquingKeysWith: +)
    let hasSnapshots = schedule.hasSnapshots || pages.contains { $0.hasBegunAnew }
    let keepsDeletions = schedule.screen.keepsPlaces && !hasSnapshots
    for page in pages {
      do {
        try check(schedule.screen, page, places, deleted: deleted, keepsDeletions: keepsDeletions)
        try checkOrder(schedule.screen, page, places, deleted: deleted, hasSnapshots: hasSnapshots)
      } catch {
        let numbers = text.unicodeScalars.map { Typed.number($0).map(String.init) ?? "\($0)" }
        throw SimulationFailure("\(error); the text is \(numbers.joined(separator: " "))")
      }
    }
  }

  private func check(
    _ screen: SimulatedScreen, _ page: SimulatedPage, _ places: [Int: [Int]], deleted: Set<Int>,
    keepsDeletions: Bool
  ) throws {
    for run in page.runs {
      for number in run {
        let count = places[number]?.count ?? 0
        var expected = screen.survivals(of: number)
        // A difference to a snapshot may replace deleted text; a restart brings back unacknowledged text.
        if deleted.contains(number) { expected = 0...(keepsDeletions ? 0 : expected.upperBound) }
        // It had reached the server before the visitor left, or not.
        if page.left.contains(number) { expected = 0...expected.upperBound }
        // The page was told to give it up, and who hands over later may know it.
        if page.released.contains(number) { expected = 0...expected.upperBound }
        // Taken by a server that was killed before it could say so, and sent again.
        expected = expected.lowerBound...(expected.upperBound + (page.handedOver[number] ?? 0))
        guard expected.contains(count) else {
          throw SimulationFailure(
            "character \(number) of \(page.name) is there \(count) times instead of \(expected)")
        }
      }
    }
  }

  private func checkOrder(
    _ screen: SimulatedScreen, _ page: SimulatedPage, _ places: [Int: [Int]], deleted: Set<Int>,
    hasSnapshots: Bool
  ) throws {
    guard screen != .late, screen != .draw else { return }
    for run in page.runs {
      var last = -1
      // Deleted text may live on in the ViewModel's replacement; it has no order any more.
      for number in run where !deleted.contains(number) {
        // Text that a ViewModel has rewritten is not recognised in a snapshot: its neighbour may come on its
        // other side. Text that is there twice, or comes from another stream, has two orders.
        if screen != .keep, hasSnapshots { continue }
        if page.handedOver[number] != nil || page.released.contains(number) { continue }
        guard let place = places[number]?.first else { continue }
        guard place > last else {
          throw SimulationFailure("character \(number) of \(page.name) is out of order")
        }
        last = place
      }
    }
  }
}
