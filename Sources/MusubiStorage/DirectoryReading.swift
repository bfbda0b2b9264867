// SPDX-License-Identifier: Apache-2.0

/// A node, as the directory in PostgreSQL has it.
package struct DirectoryNode: Equatable, Sendable {
  /// Names the process; a restarted one is another node.
  package var id: Int64
  /// Where its links arrive, as `host:port`; empty for a node that owns everything alone.
  package var address: String
  /// What it runs.
  package var build: String
  /// How many event loops it has.
  package var loops: Int
  /// Whether it gives its slots away.
  package var isDraining: Bool
  /// When it said something last, as the server writes it: another text is another sign of life.
  package var seen: String
  /// How long ago that was, by the server's clock.
  package var silence: Duration
  /// How long it has been there, by the server's clock.
  package var age: Duration

  package init(
    id: Int64, address: String, build: String, loops: Int, isDraining: Bool = false, seen: String = "",
    silence: Duration = .zero,
    age: Duration = .zero
  ) {
    self.id = id
    self.address = address
    self.build = build
    self.loops = loops
    self.isDraining = isDraining
    self.seen = seen
    self.silence = silence
    self.age = age
  }
}

extension DirectoryNode {
  /// When its program was built, as `LoopEnvironment.build`; 0 if nobody knows.
  package var buildTime: Int { Self.buildTime(of: build) }

  /// The same of a build's name.
  package static func buildTime(of build: String) -> Int {
    build.split(separator: "-").first.flatMap { Int($0) } ?? 0
  }
}

/// Who owns a slot, as the directory has it.
package struct DirectorySlot: Equatable, Sendable {
  package var slot: Int
  /// The node, which may be there no longer; nil for nobody.
  package var node: Int64?
  /// The number of owners so far.
  package var generation: Int
  /// The last generation whose owner has not got all that the one before had; 0 if there is none.
  package var lostSince: Int

  package init(slot: Int, node: Int64?, generation: Int, lostSince: Int) {
    self.slot = slot
    self.node = node
    self.generation = generation
    self.lostSince = lostSince
  }
}

/// What a node reads of the directory.
package struct DirectoryReading: Equatable, Sendable {
  /// All nodes, in the order of their ids.
  package var nodes: [DirectoryNode]
  /// The slots whose owners have changed since the last reading.
  package var moved: [DirectorySlot]
  /// Who was signed out since the last reading, in this order.
  package var signOuts: [DirectorySignOut] = []
  /// Whether `moved` has all slots, because the connection is a new one.
  package var isWhole: Bool
  /// Whether the database is older than one that was read before: a standby has taken over that lacks what others have seen.
  package var hasForgotten = false

  package init(nodes: [DirectoryNode], moved: [DirectorySlot], isWhole: Bool = false) {
    self.nodes = nodes
    self.moved = moved
    self.isWhole = isWhole
  }
}
