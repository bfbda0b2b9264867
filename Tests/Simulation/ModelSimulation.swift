// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
import MusubiTesting

/// People who use one shared model from screens of their own, on the loops of one server: the real loops and real clients on
/// a network of virtual time, with lost connections, and kills of the server that the store outlives.
package struct ModelSimulation {
  private let moves: SlotMoves?
  private let faults: ModelFaults?

  /// A simulation.
  ///
  /// - Parameters:
  ///   - moves: How slots move between the loops of the server; nil if they stay.
  ///   - faults: What happens to several servers; nil if there is one.
  package init(moves: SlotMoves? = nil, faults: ModelFaults? = nil) {
    self.moves = moves
    self.faults = faults
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
    let slowest = [0, 5, 20, 200, 1_500][below(5)]
    let account = SimulatedLedger.Account()
    let store = SimulatedStore()
    store.delay = .milliseconds([1, 6, 100][below(3)])
    store.keepsInterrupted = [true, false, nil][below(3)]
    var configuration = SessionConfiguration()
    configuration.sessionLifetime = .seconds(300)
    configuration.unusedSessionLifetime = configuration.sessionLifetime
    configuration.roomLifetime = .seconds([5, 300][below(2)])
    let network = SimulatedNetwork(
      seed: seed, nodes: faults?.nodes ?? 1, loops: (moves == nil ? 1 : 2) + below(faults == nil ? 3 : 2),
      latency: SimulatedNetwork.Latency(
        .milliseconds([slowest, slowest / 4, 0][below(3)]), .milliseconds(slowest)),
      configuration: configuration, store: store,
      routes: [
        ScreenRoute(name: "ledger", scope: .session) {
          InputOutputScreen(try SimulatedLedgerScreen($0), name: "ledger")
        }
      ],
      models: [.model("ledger") { try SimulatedLedger($0, account) }])
    network.loopLatency = .init(.zero, .milliseconds([0, 5, 60][below(3)]))
    network.loopPause = .milliseconds([0, 0, 30][below(3)])
    defer { network.end() }
    let pages = (0..<(1 + below(5))).map { ModelPage(network, name: "page \($0)") }
    let key = RoomKey(screen: "model:ledger", name: "lobby", isPrivate: false)
    faults?.begin(on: network, model: key, below)
    for page in pages { page.connect() }
    settle(pages, network, slowest)
    moves?.begin(on: network, store, below)
    var (given, soon): (Set<Int>, Set<Int>) = ([], [])
    var kills = 0
    for number in 1...(8 + below(40)) {
      network.run(until: network.now + .milliseconds(below(2 * (1 + max(slowest, 20)))))
      let page = pages[below(pages.count)]
      switch below(100) {
      case 0..<50: given.formUnion(give(number, to: page, by: "add"))
      case 50..<62: given.formUnion(give(number, to: page, by: "addSlowly"))
      case 62..<72: soon.formUnion(give(number, to: page, by: "addSoon"))
      case 72..<82: page.link?.drop()
      case 82..<85: page.reload()
      case 85..<88: page.link?.isStalled = true
      case 88..<92: page.link?.isStalled = false
      case 92..<95: leave(pages, network, isKilled: below(2) == 0, &kills)
      default: restart(network, &kills)
      }
    }
    for page in pages { page.link?.isStalled = false }
    moves?.end(on: network)
    faults?.end(on: network)
    settle(pages, network, slowest)
    let witness = ModelPage(network, name: "witness")
    witness.connect()
    settle(pages + [witness], network, slowest)
    try check(pages, witness, given: given, soon: soon, kills: kills)
    try checkLastPage(after: pages + [witness], network, slowest, isKilled: below(2) == 0, &kills)
    if let problem = account.problem { throw SimulationFailure(problem) }
    if let problem = network.failures.first ?? store.misfits.first { throw SimulationFailure(problem) }
  }

  /// A page that comes when all others have gone for long finds the model as they left it.
  private func checkLastPage(
    after pages: [ModelPage], _ network: SimulatedNetwork, _ slowest: Int, isKilled: Bool, _ kills: inout Int
  ) throws {
    // Nobody uses the model any more, and the next one finds it as it was.
    let numbers = pages.last?.numbers
    leave(pages, network, isKilled: isKilled, &kills)
    let late = ModelPage(network, name: "the last page")
    late.connect()
    settle([late], network, slowest)
    guard late.numbers == numbers, late.sum == numbers?.reduce(0, +) else {
      throw SimulationFailure(
        "the model had \(numbers ?? []), and has \(late.numbers.map { "\($0)" } ?? "none") after a time without pages"
      )
    }
  }

  private func give(_ number: Int, to page: ModelPage, by input: String) -> [Int] {
    page.give(number, by: input)
    return [number]
  }

  /// All pages go for a minute; the server may be killed meanwhile.
  private func leave(
    _ pages: [ModelPage], _ network: SimulatedNetwork, isKilled: Bool, _ kills: inout Int
  ) {
    for page in pages {
      page.isAway = true
      page.link?.drop()
    }
    network.run(until: network.now + .seconds(30))
    if isKilled { restart(network, &kills) }
    network.run(until: network.now + .seconds(30))
    for page in pages {
      page.isAway = false
      page.connect()
    }
  }

  private func restart(_ network: SimulatedNetwork, _ kills: inout Int) {
    if let faults { faults.restart(network) } else { network.restartServer() }
    kills += 1
  }

  private func settle(_ pages: [ModelPage], _ network: SimulatedNetwork, _ slowest: Int) {
    for _ in 0..<20 {
      network.run(until: network.now + .milliseconds(8 * slowest) + .seconds(5))
      if pages.allSatisfy(\.isSettled) { break }
    }
    network.run(until: network.now + .milliseconds(4 * slowest) + .seconds(5))
  }

  // MARK: - Invariants

  private func check(
    _ pages: [ModelPage], _ witness: ModelPage, given: Set<Int>, soon: Set<Int>, kills: Int
  ) throws {
    for page in pages + [witness] {
      if let failure = page.failure { throw failure }
      guard page.isSettled else { throw SimulationFailure("\(page.name) still waits") }
      guard page.numbers == witness.numbers, page.sum == witness.sum else {
        throw SimulationFailure(
          "\(page.name) shows \(page.numbers ?? []) and \(page.sum ?? -1), "
            + "another one \(witness.numbers ?? []) and \(witness.sum ?? -1)")
      }
    }
    guard let numbers = witness.numbers else { throw SimulationFailure("the model shows nothing") }
    guard witness.sum == numbers.reduce(0, +) else {
      throw SimulationFailure("the sum of \(numbers) is \(witness.sum ?? -1)")
    }
    let counts = Dictionary(numbers.map { ($0, 1) }, uniquingKeysWith: +)
    for page in pages {
      let answers = Dictionary(page.answers.map { ($0, 1) }, uniquingKeysWith: +)
      for number in page.taken.union(page.uncertain).sorted() {
        var expected = 1...1
        // A timer's command is lost with the process, and where its screen's slot goes elsewhere.
        if soon.contains(number) { expected = (kills > 0 || moves != nil || faults != nil ? 0 : 1)...1 }
        if page.uncertain.contains(number) { expected = 0...2 }
        guard expected.contains(counts[number] ?? 0) else {
          throw SimulationFailure(
            "\(number) of \(page.name)\(soon.contains(number) ? ", given to a timer," : "") was added "
              + "\(counts[number] ?? 0) times instead of \(expected)")
        }
        guard !page.uncertain.contains(number), given.contains(number) else { continue }
        guard answers[number] == 1 || !page.uncertain.isEmpty else {
          throw SimulationFailure("\(page.name) was answered \(answers[number] ?? 0) times about \(number)")
        }
      }
    }
  }
}
