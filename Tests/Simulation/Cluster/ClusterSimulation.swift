// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting

/// People who use rooms of a cluster while everything goes wrong that can: servers and their database in virtual time.
///
/// After each step hold: what is acknowledged is in the database; no slot has had commits of two owners in one generation;
/// nobody is taken for dead who is well; and nobody misses commits that were not lost. In the end everything that was done is
/// there, once and in its order, and all pages are live some seconds after the last fault.
package final class ClusterSimulation {
  /// How long it takes after the last fault, at most, until all pages are live: ten seconds in which nobody is taken for dead, a
  /// way back, and a trial for each input of a page whose server was lost.
  private static let recovery = Duration.seconds(40)

  private let mistake: ClusterMistake?
  private let forgivesLoss: Bool
  /// How often each kind of thing has happened.
  package private(set) var counts: [String: Int] = [:]

  /// - Parameters:
  ///   - mistake: A mistake that is to be found.
  ///   - forgivesLoss: Whether what was acknowledged may be gone, as behind a standby that the database does not wait for. Then all
  ///     rooms are to be there in the end: pages that come show the same, of which nothing counts twice, and others are live or were
  ///     told what is wrong.
  package init(_ mistake: ClusterMistake? = nil, forgivesLoss: Bool = false) {
    (self.mistake, self.forgivesLoss) = (mistake, forgivesLoss)
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
    let cluster = SimulatedCluster(
      seed: seed, servers: 2 + below(2), loops: 1 + below(2), mistake: mistake, routes: [ClusterScreen.route],
      below)
    cluster.forgivesLoss = forgivesLoss
    let network: SimulatedNetwork = cluster.network
    defer { network.end() }
    let rooms = ClusterScreen.rooms([1, 2, 5][below(3)], slots: SimulatedCluster.slots)
    var pages: [ClusterPage] = []
    func come() {
      guard pages.count < 6 else { return }
      let page = ClusterPage(cluster, room: rooms[pages.count % rooms.count], name: "page \(pages.count)")
      pages.append(page)
      page.connect()
    }
    for _ in 0..<(1 + below(3)) { come() }
    network.onStep = { [unowned cluster] _ in cluster.check() }
    network.run(until: .milliseconds(below(3_000)))
    var faults = ClusterFaults(cluster, below)
    let pause = [30, 300, 1_000][below(3)]
    for number in 0..<(10 + below(30)) {
      network.run(until: network.now + .milliseconds(below(2 * pause)))
      if cluster.problem != nil { break }
      // Mostly who has come last.
      let page = pages[below(2) == 0 ? pages.count - 1 : below(pages.count)]
      switch below(10) {
      case 0..<4: page.tap()
      case 4..<8: page.type(number)
      case 8: page.link?.drop()
      default: come()
      }
      if below(3) == 0 { faults.happen() }
    }
    network.run(until: max(faults.end, network.now))
    for (kind, count) in cluster.counts { counts[kind, default: 0] += count }
    counts["refused", default: 0] += cluster.engine.state.refused
    try check(pages, cluster)
  }

  private func check(_ pages: [ClusterPage], _ cluster: SimulatedCluster) throws {
    try settle(pages, cluster)
    let rooms = Set(pages.map(\.room)).sorted()
    // Several come by several servers.
    let witnesses = (0..<(forgivesLoss ? 3 : 1)).flatMap { _ in
      rooms.map { ClusterPage(cluster, room: $0, name: "witness") }
    }
    for page in witnesses { page.connect() }
    try settle(pages + witnesses, cluster)
    for witness in witnesses {
      guard let text = witness.text, let sum = witness.sum.flatMap({ Int($0) }), witness.echo == text else {
        throw SimulationFailure("the server shows \"\(witness.echo ?? "")\" for \"\(witness.text ?? "")\"")
      }
      let pages = pages.filter { $0.room == witness.room }
      guard !forgivesLoss else {
        // Nothing counts twice, whatever is gone.
        let taps = pages.map(\.taps).reduce(0, +)
        guard sum <= taps else { throw SimulationFailure("there were \(taps) taps, and the sum is \(sum)") }
        continue
      }
      try check(pages, sum: sum, text.unicodeScalars.compactMap(Typed.number))
    }
    if let problem = cluster.problem { throw SimulationFailure(problem) }
  }

  /// Lets time pass until all pages are live, wait for nothing, and show the same; a slot that goes
  /// elsewhere, so that all
  /// servers have as many, takes its pages along.
  private func settle(_ all: [ClusterPage], _ cluster: SimulatedCluster) throws {
    var pages = all
    let (network, end): (SimulatedNetwork, Duration) = (cluster.network, cluster.network.now + Self.recovery)
    // A page that comes while the database is away comes back later.
    let forgiven = ["cannot be read at the moment"] + (forgivesLoss ? ["it is not stored"] : [])
    let failures = { network.failures.filter { failure in !forgiven.contains(where: failure.contains) } }
    repeat {
      network.run(until: network.now + .milliseconds(500))
      if let problem = cluster.problem ?? failures().first { throw SimulationFailure(problem) }
      if !forgivesLoss, let failure = pages.compactMap(\.failure).first { throw failure }
      pages.removeAll { $0.failure != nil }
      // Who has seen what was lost may go on with it.
      let agreeing = forgivesLoss ? pages.filter { $0.name == "witness" } : pages
      let shown = Dictionary(grouping: agreeing, by: \.room).values.map { Set($0.map(\.shown)) }
      if pages.allSatisfy(\.isSettled), shown.allSatisfy({ $0.count == 1 }) { return }
    } while network.now < end
    if let page = pages.first(where: { !$0.isSettled }) {
      throw SimulationFailure("\(page.name) is not live again")
    }
    throw SimulationFailure("pages show \(pages.map { "\($0.room): \($0.shown)" })")
  }

  private func check(_ pages: [ClusterPage], sum: Int, _ text: [Int]) throws {
    let (taps, lost) = (pages.map(\.taps).reduce(0, +), pages.map(\.lostTaps).reduce(0, +))
    guard (taps - lost...taps + lost).contains(sum) else {
      throw SimulationFailure("there were \(taps) taps, and the sum is \(sum)")
    }
    for page in pages {
      var last = -1
      for number in page.typed {
        let places = text.indices.filter { text[$0] == number }
        guard places.count == 1 else {
          throw SimulationFailure(
            "character \(number) of \(page.name) is there \(places.count) times; the text is \(text)")
        }
        guard let place = places.first, !page.movedText.contains(number) else { continue }
        guard place > last else {
          throw SimulationFailure("character \(number) of \(page.name) is out of order; the text is \(text)")
        }
        last = place
      }
    }
  }
}
