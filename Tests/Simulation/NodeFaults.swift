// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiTesting

/// Faults of simulated servers, while pages use what is in one slot: the slot is taken from its owner, links are cut, or take
/// nothing for a while, and servers die, whose slot another one takes after a second or so.
package final class NodeFaults {
  /// A mistake that is to be found.
  package enum Fault: Sendable {
    /// The store does not ask whose a slot is.
    case noFence
  }

  private let fault: Fault?
  /// How many slots were taken, links cut, and servers killed; and how many records of former owners the store refused.
  package private(set) var (taken, cut, killed, refused) = (0, 0, 0, 0)
  /// How many bytes have left servers for others, and how many stretches of turns for audiences.
  package private(set) var (bytes, audienceTurns) = (0, 0)
  private var (slot, owner) = (0, 0)
  private var below: (Int) -> Int = { _ in 0 }

  /// - Parameter fault: A mistake that is to be found.
  package init(fault: Fault? = nil) { self.fault = fault }

  /// Gives the slot to a server.
  func prepare(
    _ network: SimulatedNetwork, _ store: SimulatedStore, slot: Int, _ below: @escaping (Int) -> Int
  ) {
    (self.slot, self.below) = (slot, below)
    store.ignoresFences = fault == .noFence
    take(on: network)
  }

  /// Begins with the faults, at each step of the run or at some.
  func begin(on network: SimulatedNetwork) {
    let pace = [1, 6, 30, 150][below(4)]
    var (last, left) = (network.now, 100)
    network.onStep = { [unowned self, unowned network] _ in
      guard network.now > last, left > 0, below(pace) == 0 else { return }
      (last, left) = (network.now, left - 1)
      happen(on: network)
    }
  }

  private func happen(on network: SimulatedNetwork) {
    let (one, other) = (below(network.nodes.count), below(network.nodes.count))
    let later = network.now + .milliseconds(below(2_000))
    network.directoryDelay = .milliseconds([0, 20, 250, 1_000][below(4)])
    switch below(10) {
    case 0..<4:
      // Half of the owners hear of it late.
      if below(2) == 0 {
        network.directoryDelay = .seconds(3)
        isolate(owner, on: network, until: later)
      }
      take(on: network)
    case 4..<6 where one != other:
      network.cutLink(one, other)
      cut += 1
      network.schedule(later) { [weak network] in network?.openLink(one, other) }
    case 6..<8 where one != other:
      network.setFlowing(one, to: other, false)
      network.schedule(later) { [weak network] in network?.setFlowing(one, to: other, true) }
    case 8: kill(one, on: network)
    default: break
    }
  }

  private func isolate(_ node: Int, on network: SimulatedNetwork, until time: Duration) {
    for other in network.nodes.indices where other != node {
      network.cutLink(node, other)
      network.schedule(time) { [weak network] in network?.openLink(node, other) }
    }
  }

  /// Has a server die, if others live.
  func kill(_ node: Int? = nil, on network: SimulatedNetwork) {
    let node = node ?? below(network.nodes.count)
    guard network.nodes.filter({ !$0.services.isEmpty }).count > 1, !network.nodes[node].services.isEmpty
    else { return }
    network.kill(node)
    killed += 1
    network.schedule(network.now + .milliseconds(100 + below(2_000))) { [weak self, weak network] in
      guard let self, let network else { return }
      network.bury(node)
      if owner == node { take(on: network) }
    }
    network.schedule(network.now + .milliseconds(2_500 + below(3_000))) { [weak network] in
      if network?.nodes[node].services.isEmpty == true { network?.startNode(node) }
    }
  }

  private func take(on network: SimulatedNetwork) {
    let running = network.nodes.filter { !$0.services.isEmpty }
    guard !running.isEmpty else { return }
    owner = running[below(running.count)].number
    network.take(slot, byNode: owner)
    taken += 1
  }

  /// Has all go well from now on.
  func end(on network: SimulatedNetwork, _ store: SimulatedStore) {
    network.onStep = nil
    network.run(until: network.now + .seconds(6))
    network.directoryDelay = .milliseconds(250)
    for node in network.nodes.indices {
      for other in network.nodes.indices where other != node { network.setFlowing(node, to: other, true) }
    }
    take(on: network)
    refused += store.fenced
    bytes += network.nodeBytes
    audienceTurns += network.audienceTurns
  }
}
