// SPDX-License-Identifier: Apache-2.0
import MusubiTesting
import MusubiText

@testable import MusubiSession

/// A mistake that the server could make: a test of the simulator.
///
/// A page that gets a snapshot while edits of its own are on their way goes on with the bridges that it had.
final class KeptBridges {
  private struct Kept {
    /// Keeps its identifier from being given again.
    let member: Member
    let snapshotSequence: Int
    let texts: [(bridge: TextBridge, revision: Int)]
    let rows: [ObjectIdentifier: (bridge: TextBridge, revision: Int)]
  }

  private var kept: [ObjectIdentifier: Kept] = [:]
  /// How many bridges were not restarted.
  private(set) var count = 0

  /// Has the servers of a network make it, if it is called after each step.
  func look(at network: SimulatedNetwork) {
    for service in network.services {
      guard let loop = (service as? Gateway)?.sessions ?? service as? SessionLoop else { continue }
      for session in loop.sessions.all {
        for member in session.members { look(at: member) }
      }
    }
  }

  private func look(at member: Member) {
    let room = member.room
    let rows = room.rows?.active ?? []
    if let before = kept[ObjectIdentifier(member)], before.snapshotSequence != member.snapshotSequence {
      for (index, old) in before.texts.enumerated() where old.revision == room.texts[index].revision {
        member.bridges[index] = unrestarted(member.bridges[index], old.bridge)
      }
      for row in rows {
        guard let old = before.rows[ObjectIdentifier(row)], old.revision == row.text.revision,
          let bridge = row.bridges[member.number]
        else { continue }
        row.bridges[member.number] = unrestarted(bridge, old.bridge)
      }
    }
    var bridges: [ObjectIdentifier: (TextBridge, Int)] = [:]
    for row in rows {
      bridges[ObjectIdentifier(row)] = row.bridges[member.number].map { ($0, row.text.revision) }
    }
    kept[ObjectIdentifier(member)] = Kept(
      member: member, snapshotSequence: member.snapshotSequence,
      texts: room.texts.indices.map { (member.bridges[$0], room.texts[$0].revision) }, rows: bridges)
  }

  private func unrestarted(_ bridge: TextBridge, _ old: TextBridge) -> TextBridge {
    count += 1
    var result = old
    result.known = max(old.known, bridge.known)
    return result
  }
}
