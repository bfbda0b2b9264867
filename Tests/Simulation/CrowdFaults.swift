// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
import MusubiTesting

/// Three servers for the pages of one room, so that at two of them there are audiences, while the links between servers are cut, or
/// take nothing for a while.
package final class CrowdFaults {
  static let servers = 3
  static let loops = 2

  /// How many links were cut, and how many stretches of turns went to audiences.
  package private(set) var (cut, audienceTurns) = (0, 0)

  package init() {}

  /// Has audiences from the first page on, and turns that keep some time between them in half of the schedules.
  func prepare(_ configuration: inout SessionConfiguration, _ schedule: Schedule) {
    configuration.leastCrowd = 1
    // A page whose line stands still is gone for its room's server as soon as the link is cut: its session is not to end.
    configuration.sessionLifetime = .seconds(36_000)
    configuration.unusedSessionLifetime = configuration.sessionLifetime
    configuration.roomLifetime = configuration.sessionLifetime
    configuration.turnPausePerPage = .milliseconds([0, 0, 3, 200][Int(schedule.seed / 2 % 4)])
  }

  /// Gives the room to a server.
  func begin(on network: SimulatedNetwork, _ schedule: Schedule, _ random: RandomSource) {
    let room = RoomKey(screen: schedule.screen.rawValue, name: "lobby", isPrivate: false)
    network.take(room.slot, byNode: Int(random.next() % UInt64(Self.servers)))
  }

  /// Something happens to a link, or nothing.
  func happen(on network: SimulatedNetwork, _ random: RandomSource, always: Bool) {
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    let (one, other) = (below(Self.servers), below(Self.servers))
    let kind = always ? 0 : below(12)
    let later = network.now + .milliseconds(below(2_000))
    guard one != other else { return }
    switch kind {
    case 0:
      network.cutLink(one, other)
      cut += 1
      network.schedule(later) { [weak network] in network?.openLink(one, other) }
    case 1, 2:
      network.setFlowing(one, to: other, false)
      network.schedule(later) { [weak network] in network?.setFlowing(one, to: other, true) }
    default: break
    }
  }

  /// Has all go well from now on.
  func end(on network: SimulatedNetwork) {
    network.run(until: network.now + .seconds(3))
    audienceTurns += network.audienceTurns
  }
}
