// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiTesting

/// What happens to several simulated servers, while pages use what is in their slots.
///
/// Slots are given from one to the other, and taken; links are cut, or take no bytes; a server is killed, and the others take what it
/// had; the directory is slow.
package final class ModelFaults {
  /// How many servers there are.
  let nodes = 3
  /// How often each kind of thing has happened.
  package private(set) var counts: [String: Int] = [:]
  private var slots: [Int] = []
  private var killed: Int?

  package init() {}

  /// Begins to disturb the servers, at each step of the run or at some.
  func begin(on network: SimulatedNetwork, model: RoomKey, _ below: @escaping (Int) -> Int) {
    (slots, killed) = ([model.slot] + (0..<24).map { _ in below(RecordLabel.slots) }, nil)
    network.directoryDelay = .milliseconds([1, 250, 1_500][below(3)])
    network.nodeLatency = .init(.zero, .milliseconds([1, 20, 400][below(3)]))
    takeAll(on: network, below)
    let pace = [1, 6, 30, 150][below(4)]
    var (last, left) = (network.now, 120)
    network.onStep = { [unowned self, unowned network] _ in
      // What happens brings about steps of its own.
      guard network.now > last, left > 0, below(pace) == 0 else { return }
      (last, left) = (network.now, left - 1)
      disturb(network, below)
    }
  }

  private func takeAll(on network: SimulatedNetwork, _ below: (Int) -> Int) {
    for slot in Set(slots).sorted() { network.take(slot, byNode: below(nodes)) }
  }

  private func disturb(_ network: SimulatedNetwork, _ below: @escaping (Int) -> Int) {
    // The model's as often as all others together.
    let slot = below(2) == 0 ? slots[0] : slots[below(slots.count)]
    let (one, other) = (below(nodes), below(nodes - 1))
    let pair = (one, other < one ? other : other + 1)
    let pause = Duration.milliseconds([1, 30, 300, 2_000][below(4)])
    func soon(_ work: @escaping () -> Void) { network.schedule(network.now + pause, work) }
    switch below(12) {
    case 0..<3:
      note("taken")
      network.take(slot, byNode: one)
    case 3..<6:
      note("given")
      network.give(slot, toNode: one)
    case 6..<9:
      note("cut")
      network.cutLink(pair.0, pair.1)
      soon { [unowned network] in network.openLink(pair.0, pair.1) }
    case 9, 10:
      note("stopped")
      network.setFlowing(pair.0, to: pair.1, false)
      soon { [unowned network] in network.setFlowing(pair.0, to: pair.1, true) }
    default:
      guard killed == nil else { return }
      note("killed")
      killed = one
      network.kill(one)
      soon { [unowned self, unowned network] in goOn(network) }
    }
  }

  /// The others take what a killed server had, and it starts again.
  private func goOn(_ network: SimulatedNetwork) {
    guard let node = killed else { return }
    killed = nil
    let orphans = slots.filter { [nil, node].contains(network.owner(of: $0)) }
    network.bury(node)
    for (number, slot) in Set(orphans).sorted().enumerated() {
      network.take(slot, byNode: (node + 1 + number % 2) % nodes)
    }
    network.startNode(node)
  }

  private func note(_ kind: String) { counts[kind, default: 0] += 1 }

  /// All goes well from now on.
  func end(on network: SimulatedNetwork) {
    network.onStep = nil
    goOn(network)
    for one in 0..<nodes {
      for other in 0..<nodes where other != one {
        if one < other { network.openLink(one, other) }
        network.setFlowing(one, to: other, true)
      }
    }
    for slot in Set(slots).sorted() where network.owner(of: slot) == nil { network.take(slot, byNode: 0) }
  }

  /// Kills all servers, and starts them again.
  func restart(_ network: SimulatedNetwork) {
    goOn(network)
    for node in 0..<nodes { network.kill(node) }
    for node in 0..<nodes { network.bury(node) }
    for node in 0..<nodes { network.startNode(node) }
    for (number, slot) in Set(slots).sorted().enumerated() { network.take(slot, byNode: number % nodes) }
  }
}
