// SPDX-License-Identifier: Apache-2.0
import MusubiSession
package import MusubiStorage

/// What a node decides about slots: which ones it takes, loads, gives away and loses.
///
/// It does nothing itself.
///
/// ```
/// nobody's ──take──► mine ──load──► here ──release──► released ──hand over──► another's
///                                    │
///                                    └─ another has it ──► losing ──► (forgotten)
/// ```
///
/// Nothing here is needed for safety: the store refuses the commits of whoever is not the owner. Wrong decisions cost
/// reconnects.
package struct Ownership {
  /// How fast a node acts; in seconds as all intervals, on a clock that does not jump.
  package struct Settings: Sendable {
    /// How long a node says nothing until the others take its slots.
    package var silence: Duration = .milliseconds(1_200)
    /// The same for one at whose address nobody listens.
    package var silenceOfRefused: Duration = .milliseconds(300)
    /// The longest pause between two beats that still counts as none.
    package var gap: Duration = .milliseconds(750)
    /// How often the node with most slots gives some to the one with fewest.
    package var balanceInterval: Duration = .seconds(10)
    /// How old the youngest node is when slots begin to be balanced.
    package var balanceAge: Duration = .seconds(60)
    /// So many slots go at a time: a twentieth of all.
    package var maxMoves = RecordLabel.slots / 20

    package init() {}
  }

  /// Something to do.
  package enum Order: Equatable, Sendable {
    /// Take the rows of nodes that were silent for so long out of the directory.
    case bury([Int64], silence: Duration)
    /// Take at most so many slots that are nobody's.
    case take(Int)
    /// Read what is stored in these slots, and serve them.
    case load([Int])
    /// Drop these slots, which another node has.
    case lose([Int])
    /// Let go of these slots; then hand them over to a node.
    case release([Int], to: Int64)
    /// Hand slots over that nothing here uses any more.
    case handOver([Int], to: Int64)
    /// The node was buried: nothing that it has is its own any more.
    case exit
  }

  /// What becomes of a slot that is here.
  private enum Stage: Equatable {
    case loading
    case here
    case releasing(to: Int64)
    case released(to: Int64)
    case losing
  }

  private let node: Int64
  private let settings: Settings
  private var owners: [DirectorySlot]
  private var nodes: [DirectoryNode] = []
  private var stages: [Int: Stage] = [:]
  /// Since when the node has said without a gap that it lives.
  private var beatingSince: Duration?
  private var lastBeat: Duration?
  private var lastBalance: Duration = .zero
  /// Nodes at whose addresses nobody listens.
  private var refused: Set<Int64> = []
  /// Whether everything is to be given away.
  package private(set) var isDraining = false

  /// A node that has nothing.
  ///
  /// - Parameters:
  ///   - node: Its incarnation.
  ///   - settings: How fast it acts.
  package init(node: Int64, settings: Settings) {
    (self.node, self.settings) = (node, settings)
    owners = (0..<RecordLabel.slots).map { DirectorySlot(slot: $0, node: nil, generation: 0, lostSince: 0) }
  }

  // MARK: - What happens

  /// The node has beaten, and read the directory.
  ///
  /// - Parameters:
  ///   - reading: The directory: all nodes, and the slots that have changed their owners.
  ///   - now: The time on the node's own clock.
  /// - Returns: What to do, in this order.
  package mutating func read(_ reading: DirectoryReading, at now: Duration) -> [Order] {
    guard reading.nodes.contains(where: { $0.id == node }) else { return [.exit] }
    // A server that knows less than it has told was a standby that had not got everything.
    let hasForgotten =
      reading.isWhole && reading.moved.contains { $0.generation < owners[$0.slot].generation }
    guard !hasForgotten else { return [.exit] }
    if let lastBeat, now - lastBeat <= settings.gap {} else { beatingSince = now }
    lastBeat = now
    nodes = reading.nodes
    // An operator may have asked for it.
    isDraining = isDraining || nodes.contains { $0.id == node && $0.isDraining }
    refused.formIntersection(nodes.map(\.id))
    for slot in reading.moved { owners[slot.slot] = slot }
    return buryOrder(now) + loseOrder() + loadOrder() + takeOrder() + releaseOrders(now)
  }

  /// Nobody listens at a node's address.
  package mutating func refused(_ node: Int64) { refused.insert(node) }

  /// Slots are served here.
  package mutating func loaded(_ slots: some Sequence<Int>) {
    for slot in slots where stages[slot] == .loading { stages[slot] = .here }
  }

  /// Slots could not be read; the next reading tries again.
  package mutating func notLoaded(_ slots: some Sequence<Int>) {
    for slot in slots where stages[slot] == .loading { stages[slot] = nil }
  }

  /// Nothing here uses a slot any more; it goes where it was to go.
  ///
  /// - Returns: The node; nil if the slot was lost meanwhile.
  package mutating func released(_ slot: Int) -> Int64? {
    guard case .releasing(let other) = stages[slot] else { return nil }
    stages[slot] = .released(to: other)
    return other
  }

  /// Slots were lost, and nothing here knows them any more.
  package mutating func lost(_ slots: some Sequence<Int>) { for slot in slots { stages[slot] = nil } }

  /// The directory has another owner for slots that were handed over.
  package mutating func handedOver(_ slots: some Sequence<Int>) { lost(slots) }

  /// Everything is to be given away.
  package mutating func drain() { isDraining = true }

  // MARK: - What there is

  /// Whether all that was to be given away is gone, or nobody is there who could take it.
  package var isDrained: Bool {
    isDraining && (receivers.isEmpty || stages.isEmpty && !owners.contains { $0.node == node })
  }
  /// Whether each slot has an owner that lives, and this node serves its own.
  package var isReady: Bool {
    let living = Set(nodes.map(\.id))
    return stages.values.allSatisfy { $0 != .loading }
      && owners.allSatisfy { slot in
        slot.node.map { living.contains($0) && ($0 != node || stages[slot.slot] != nil) } ?? false
      }
  }
  /// The slots that are served here.
  package var here: Int { stages.values.count { $0 == .here } }

  /// The living owner of a slot; nil if it is nobody's.
  package func owner(of slot: Int) -> DirectoryNode? {
    owners[slot].node.flatMap { id in nodes.first { $0.id == id } }
  }

  // MARK: - What to do

  private func buryOrder(_ now: Duration) -> [Order] {
    // Whoever was away itself has not seen the others beat.
    guard let beatingSince else { return [] }
    let awake = now - beatingSince
    func silent(_ nodes: [DirectoryNode], _ silence: Duration) -> [Order] {
      let ids = nodes.filter { $0.id != node && $0.silence >= silence }.map(\.id)
      return ids.isEmpty || awake < silence ? [] : [.bury(ids, silence: silence)]
    }
    return silent(nodes.filter { !refused.contains($0.id) }, settings.silence)
      + silent(nodes.filter { refused.contains($0.id) }, settings.silenceOfRefused)
  }

  private mutating func loseOrder() -> [Order] {
    let lost = stages.filter { slot, stage in owners[slot].node != node && stage != .losing }.keys.sorted()
    for slot in lost { stages[slot] = .losing }
    return lost.isEmpty ? [] : [.lose(lost)]
  }

  private mutating func loadOrder() -> [Order] {
    let new = owners.lazy.filter { [node, stages] in $0.node == node && stages[$0.slot] == nil }.map(\.slot)
    let slots = Array(new)
    for slot in slots { stages[slot] = .loading }
    return slots.isEmpty ? [] : [.load(slots)]
  }

  private func takeOrder() -> [Order] {
    guard !isDraining else { return [] }
    let living = Set(nodes.map(\.id))
    let free = owners.count { $0.node.map { !living.contains($0) } ?? true }
    let count = min(free, share - owners.count { $0.node == node })
    return count > 0 ? [.take(count)] : []
  }

  /// The number of slots that a node has when all have as many.
  private var share: Int {
    let count = max(1, nodes.count { !$0.isDraining })
    return (RecordLabel.slots + count - 1) / count
  }

  private mutating func releaseOrders(_ now: Duration) -> [Order] {
    var orders: [Order] = []
    // What could not be handed over the last time.
    var waiting: [Int64: [Int]] = [:]
    for (slot, stage) in stages {
      if case .released(let other) = stage { waiting[other, default: []].append(slot) }
    }
    for (other, slots) in waiting.sorted(by: { $0.key < $1.key }) {
      orders.append(.handOver(slots.sorted(), to: other))
    }
    let others = receivers
    guard !others.isEmpty else { return orders }
    let mine = stages.filter { $0.value == .here }.keys.sorted()
    if isDraining {
      for (index, other) in others.enumerated() {
        let part = mine.enumerated().filter { $0.offset % others.count == index }.map(\.element)
        orders += release(part, to: other)
      }
    } else if let (count, other) = balance(mine.count, now) {
      lastBalance = now
      orders += release(Array(mine.prefix(count)), to: other)
    }
    return orders
  }

  private mutating func release(_ slots: [Int], to other: Int64) -> [Order] {
    for slot in slots { stages[slot] = .releasing(to: other) }
    return slots.isEmpty ? [] : [.release(slots, to: other)]
  }

  /// The nodes that take slots: those of the newest build, if there are some.
  private var receivers: [Int64] {
    let others = nodes.filter { $0.id != node && !$0.isDraining && $0.silence < settings.silence }
    let newest = others.min { ($0.age, $0.id) < ($1.age, $1.id) }?.build
    return others.filter { $0.build == newest }.map(\.id).sorted()
  }

  /// How many slots to give to which node; nil if this one has not the most, or the difference is small.
  private func balance(_ mine: Int, _ now: Duration) -> (count: Int, other: Int64)? {
    let living = nodes.filter { !$0.isDraining }
    guard now - lastBalance >= settings.balanceInterval, living.allSatisfy({ $0.age >= settings.balanceAge }),
      stages.values.allSatisfy({ $0 == .here })
    else { return nil }
    var counts: [Int64: Int] = [:]
    for owner in owners { if let id = owner.node { counts[id, default: 0] += 1 } }
    let ranked = living.sorted { (counts[$0.id] ?? 0, $0.id) < (counts[$1.id] ?? 0, $1.id) }
    guard let fewest = ranked.first?.id, ranked.last?.id == node else { return nil }
    let count = min((mine - (counts[fewest] ?? 0)) / 2, settings.maxMoves)
    return count > 0 ? (count, fewest) : nil
  }
}
