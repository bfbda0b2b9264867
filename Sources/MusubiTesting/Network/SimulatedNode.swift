// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
package import MusubiSession

/// One server of a simulated network.
package final class SimulatedNode {
  /// Which of the servers it is, from 0.
  package let number: Int
  /// By how much its clock is ahead of the network's.
  let skew: Duration
  /// What its loops serve; nothing while it does not run.
  package internal(set) var services: [any ConnectionService] = []
  private(set) var ledger: PeerLedger
  private(set) var presence = PresenceExchange()
  private(set) var trials = TrialTurn()

  init(_ number: Int, _ limits: PeerLimits) {
    self.number = number
    skew = .seconds(10_000 * number)
    ledger = PeerLedger(limits)
  }

  /// It begins anew, and remembers nobody.
  func reset(_ limits: PeerLimits) {
    ledger = PeerLedger(limits)
    presence = PresenceExchange()
    trials = TrialTurn()
  }

  /// The gateways of its loops.
  package var gateways: [Gateway] { services.compactMap { $0 as? Gateway } }

  /// The gateway of a loop; nil if it has none.
  func gateway(_ loop: Int) -> Gateway? {
    services.indices.contains(loop) ? services[loop] as? Gateway : nil
  }
}

/// Who has a slot, as the simulated directory knows it.
struct SlotOwner {
  /// The server; nil if nobody has it.
  var node: Int?
  var move: SlotMove
}

/// Two servers, as one of them sees the other.
struct NodePair: Hashable {
  let node: Int
  let other: Int
}
