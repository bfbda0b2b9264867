// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
package import MusubiSession

/// One server of a simulated network.
package final class SimulatedNode {
  /// Which of the servers it is, from 0.
  package let number: Int
  /// By how much its clock was ahead of the network's when that began.
  private let skew: Duration
  /// How fast its clock runs, in thousandths of the network's; to be set before anything happens.
  package var rate = 1_000
  /// By how much the clock on its wall is wrong.
  package var wallError: Duration = .zero
  /// Its program's build, as `LoopEnvironment.build`; to be set before it starts.
  package var build: Int?
  /// The screens of its program, if they are others than the network's; to be set before it starts.
  package var routes: [ScreenRoute]?
  /// What has come while it stands still.
  private var backlog: [() -> Void] = []
  /// Whether it stands still: it handles nothing, and its clock goes on.
  package private(set) var isPaused = false
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

  /// The time on its clock.
  package func time(at moment: Duration) -> Duration {
    skew + (rate == 1_000 ? moment : moment * rate / 1_000)
  }

  /// When its clock shows a time, or is a little past it.
  func moment(of time: Duration) -> Duration {
    rate == 1_000 ? time - skew : (time - skew) * 1_000 / rate + .nanoseconds(1)
  }

  /// It stands still.
  package func pause() { isPaused = true }

  /// It goes on, and handles at once what has come meanwhile.
  package func resume() {
    isPaused = false
    while !isPaused, !backlog.isEmpty { backlog.removeFirst()() }
  }

  /// Something comes; it is handled when the server does not stand still.
  package func handle(_ work: @escaping () -> Void) {
    if isPaused { backlog.append(work) } else { work() }
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
