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
    package var silenceOfRefused: Duration = .milliseconds(600)
    /// The longest pause between two readings that still counts as none.
    package var gap: Duration = .milliseconds(750)
    /// How long a node that was away itself takes nobody for dead: the others may still be on their way back.
    package var grace: Duration = .seconds(10)
    /// How long a slot may take to be let go, until what does not come to its end there is lost.
    package var releaseLimit: Duration = .seconds(40)
    /// How often the node with most slots gives some to the one with fewest.
    package var balanceInterval: Duration = .seconds(10)
    /// How old the youngest node is when slots begin to be balanced.
    package var balanceAge: Duration = .seconds(60)
    /// So many slots go at a time: a twentieth of all.
    package var maxMoves = RecordLabel.slots / 20
    /// How many slots there are; a simulation has fewer.
    package var slots = RecordLabel.slots

    package init() {}
  }

  /// Something to do.
  package enum Order: Equatable, Sendable {
    /// Take nodes out of the directory, each unless it has said something since this last sign of life.
    case bury([Int64: String])
    /// Tell the directory that this node gives everything away: it does not know.
    case announceDraining
    /// Take at most so many slots that are nobody's.
    case take(Int)
    /// Read what is stored in these slots, and serve them.
    case load([Int])
    /// Drop these slots, which another node has, or this one anew.
    case lose([Int])
    /// Drop these slots, which were to be let go and do not come to an end.
    case abandon([Int])
    /// Let go of these slots; then hand them over to a node.
    case release([Int], to: Int64)
    /// Hand slots over that nothing here uses any more.
    case handOver([Int], to: Int64)
    /// Read all of it, by a new connection: the server may be a former one, and knows less than another node has told.
    case readAgain
    /// The node was buried: nothing that it has is its own any more.
    case exit
  }

  /// What becomes of a slot that is here.
  private enum Stage: Equatable {
    case loading
    case here
    case releasing(to: Int64, since: Duration)
    case released(to: Int64)
    case losing
  }

  /// A node's last sign of life, and when it was heard first.
  private struct Sign {
    let seen: String
    let heard: Duration
  }

  private let node: Int64
  private let settings: Settings
  private var owners: [DirectorySlot]
  private var nodes: [DirectoryNode] = []
  private var stages: [Int: Stage] = [:]
  /// The slots of which other nodes have said that they have them, since the last reading.
  private var heard: [Int: (generation: Int, node: Int64?)] = [:]
  /// The generations in which slots are here.
  private var generations: [Int: Int] = [:]
  /// In which order slots have come.
  private var arrivals: [Int: Int] = [:]
  private var lastArrival = 0
  private var signs: [Int64: Sign] = [:]
  private var lastReading: Duration?
  /// Nobody is taken for dead before.
  private var graceEnds: Duration = .zero
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
    owners = (0..<settings.slots).map { DirectorySlot(slot: $0, node: nil, generation: 0, lostSince: 0) }
  }

  // MARK: - What happens

  /// The node has beaten, and read the directory.
  ///
  /// - Parameters:
  ///   - reading: The directory: all nodes, and the slots that have changed their owners.
  ///   - now: The time on the node's own clock.
  /// - Returns: What to do, in this order.
  package mutating func read(_ reading: DirectoryReading, at now: Duration) -> [Order] {
    guard let own = reading.nodes.first(where: { $0.id == node }) else { return [.exit] }
    // A server that knows less than it has told was a standby that had not got everything.
    guard !note(reading.moved) else { return [.exit] }
    guard heard.allSatisfy(isKnown) else { return [reading.isWhole ? .exit : .readAgain] }
    heard = [:]
    nodes = reading.nodes
    listen(now)
    // An operator may have asked for it.
    isDraining = isDraining || own.isDraining
    refused.formIntersection(nodes.map(\.id))
    // Else two nodes that end would give each other what they have.
    let announcement: [Order] = isDraining && !own.isDraining ? [.announceDraining] : []
    return announcement + buryOrder(now) + loseOrder() + loadOrder() + takeOrder() + releaseOrders(now)
  }

  /// Notes who has which slot.
  ///
  /// - Returns: Whether an owner is missing that was there before. Each change of owners raises the generation.
  private mutating func note(_ moved: [DirectorySlot]) -> Bool {
    defer { for slot in moved { owners[slot.slot] = slot } }
    return moved.contains { new in
      let old = owners[new.slot]
      return new.generation < old.generation || new.generation == old.generation && new.node != old.node
    }
  }

  /// Whether the directory has what another node has told.
  private func isKnown(_ slot: Int, _ told: (generation: Int, node: Int64?)) -> Bool {
    let row = owners[slot]
    let isSame = told.node.map { $0 == row.node } ?? true
    return row.generation > told.generation || row.generation == told.generation && isSame
  }

  /// Another node has told that it has a slot: what is read from now on has that, or something newer.
  ///
  /// The loops do not believe what is older. They could not use the slot, wherever the directory says that it is. The node is nil if
  /// it has gone.
  package mutating func hear(_ slot: Int, generation: Int, of node: Int64?) {
    if generation >= heard[slot]?.generation ?? 0 { heard[slot] = (generation, node) }
  }

  /// Notes who has given another sign of life, by this node's own clock.
  private mutating func listen(_ now: Duration) {
    if let lastReading, now - lastReading > settings.gap {
      (signs, graceEnds) = ([:], now + settings.grace)
    }
    lastReading = now
    let old = signs
    signs = [:]
    for node in nodes {
      let last = old[node.id]
      signs[node.id] = last?.seen == node.seen ? last : Sign(seen: node.seen, heard: now)
    }
  }

  /// Nobody listens at a node's address, or somebody does.
  package mutating func note(_ node: Int64, isRefused: Bool) {
    if isRefused { refused.insert(node) } else { refused.remove(node) }
  }

  /// Slots are served here, each in a generation.
  package mutating func loaded(_ slots: [Int: Int]) {
    lastArrival += 1
    for (slot, generation) in slots where stages[slot] == .loading {
      (stages[slot], generations[slot], arrivals[slot]) = (.here, generation, lastArrival)
    }
  }

  /// Slots could not be read; the next reading tries again.
  package mutating func notLoaded(_ slots: some Sequence<Int>) {
    for slot in slots where stages[slot] == .loading { (stages[slot], generations[slot]) = (nil, nil) }
  }

  /// Nothing here uses a slot any more; it goes where it was to go.
  ///
  /// - Returns: The node; nil if the slot was lost meanwhile.
  package mutating func released(_ slot: Int) -> Int64? {
    guard case .releasing(let other, _) = stages[slot] else { return nil }
    stages[slot] = .released(to: other)
    return other
  }

  /// Slots were lost, and nothing here knows them any more.
  package mutating func lost(_ slots: some Sequence<Int>) {
    for slot in slots { (stages[slot], generations[slot]) = (nil, nil) }
  }

  /// The store does not take what slots would store that are here: they are loaded again if they are still this node's.
  package mutating func dropped(_ slots: some Sequence<Int>) {
    lost(slots.filter { stages[$0] != .losing && stages[$0] != .loading })
  }

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

  /// The generation in which a slot is here; nil if it is not.
  package func generation(of slot: Int) -> Int? { generations[slot] }

  /// Whether a slot that was to be read in a generation still is.
  package func isLoading(_ slot: Int, in generation: Int?) -> Bool {
    stages[slot] == .loading && generations[slot] == generation
  }

  /// The living owner of a slot; nil if it is nobody's.
  package func owner(of slot: Int) -> DirectoryNode? {
    owners[slot].node.flatMap { id in nodes.first { $0.id == id } }
  }

  // MARK: - What to do

  private func buryOrder(_ now: Duration) -> [Order] {
    guard now >= graceEnds else { return [] }
    let silent = signs.filter { id, sign in
      id != node && now - sign.heard >= (refused.contains(id) ? settings.silenceOfRefused : settings.silence)
    }
    return silent.isEmpty ? [] : [.bury(silent.mapValues(\.seen))]
  }

  private mutating func loseOrder() -> [Order] {
    let lost = stages.filter { slot, stage in
      // What is loaded may be newer than what was read.
      let isMine = owners[slot].node == node && generations[slot] ?? 0 >= owners[slot].generation
      return !isMine && stage != .losing
    }.keys.sorted()
    for slot in lost { stages[slot] = .losing }
    return lost.isEmpty ? [] : [.lose(lost)]
  }

  private mutating func loadOrder() -> [Order] {
    let new = owners.lazy.filter { [node, stages] in $0.node == node && stages[$0.slot] == nil }.map(\.slot)
    let slots = Array(new)
    for slot in slots { (stages[slot], generations[slot]) = (.loading, owners[slot].generation) }
    return slots.isEmpty ? [] : [.load(slots)]
  }

  private func takeOrder() -> [Order] {
    guard takers.contains(where: { $0.id == node }) || receivers.isEmpty else { return [] }
    let living = Set(nodes.map(\.id))
    let free = owners.count { $0.node.map { !living.contains($0) } ?? true }
    let count = min(free, share - owners.count { $0.node == node })
    return count > 0 ? [.take(count)] : []
  }

  /// The number of slots that a node has when all that take some have as many.
  private var share: Int {
    let count = max(1, takers.count)
    return (owners.count + count - 1) / count
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
    let late = stages.filter { _, stage in
      if case .releasing(_, let since) = stage { now - since >= settings.releaseLimit } else { false }
    }.keys.sorted()
    if !late.isEmpty {
      orders.append(.abandon(late))
      for slot in late {
        if case .releasing(let other, _) = stages[slot] { stages[slot] = .releasing(to: other, since: now) }
      }
    }
    let others = receivers
    guard !others.isEmpty else { return orders }
    // Those that have come first go first: pages that have just been moved are left alone.
    let mine = stages.filter { $0.value == .here }.keys.sorted {
      (arrivals[$0] ?? 0, $0) < (arrivals[$1] ?? 0, $1)
    }
    if isDraining {
      for (index, other) in others.enumerated() {
        let part = mine.enumerated().filter { $0.offset % others.count == index }.map(\.element)
        orders += release(part, to: other, now)
      }
    } else if let (count, other) = balance(mine.count, now) {
      lastBalance = now
      orders += release(Array(mine.prefix(count)), to: other, now)
    }
    return orders
  }

  private mutating func release(_ slots: [Int], to other: Int64, _ now: Duration) -> [Order] {
    for slot in slots { stages[slot] = .releasing(to: other, since: now) }
    return slots.isEmpty ? [] : [.release(slots, to: other)]
  }

  /// The nodes that take slots: those that stay, of the newest build among them, because an older one may not know what to do
  /// with what a newer one has stored.
  private var takers: [DirectoryNode] {
    // The directory may not have heard yet that this one drains.
    let staying = nodes.filter { !$0.isDraining && !(isDraining && $0.id == node) }
    let newest = staying.map(\.buildTime).max()
    return staying.filter { $0.buildTime == newest }
  }

  /// Whether slots go to nodes of a newer build alone, and never to this one.
  package var isOlder: Bool { !isDraining && !takers.isEmpty && !takers.contains { $0.id == node } }

  /// The other nodes that take slots.
  private var receivers: [Int64] { takers.map(\.id).filter { $0 != node }.sorted() }

  /// How many slots to give to which node; nil if this one has not the most, or no more than its share.
  ///
  /// A node gives only what it has over its share, to one that has less, and not more than that one lacks: so no slot comes back. The
  /// share is all slots divided by the nodes, rounded either way: with the larger one alone, the last of many nodes got nothing.
  /// Nodes of an older build get nothing.
  private func balance(_ mine: Int, _ now: Duration) -> (count: Int, other: Int64)? {
    let living = nodes.filter { !$0.isDraining }
    guard now - lastBalance >= settings.balanceInterval, living.allSatisfy({ $0.age >= settings.balanceAge }),
      stages.values.allSatisfy({ $0 == .here })
    else { return nil }
    var counts: [Int64: Int] = [:]
    for owner in owners { if let id = owner.node { counts[id, default: 0] += 1 } }
    let ranked = living.map(\.id).sorted { (counts[$0] ?? 0, $0) < (counts[$1] ?? 0, $1) }
    let takers = takers.map(\.id)
    guard let fewest = ranked.first(where: takers.contains), ranked.last == node else { return nil }
    let shares = [owners.count / living.count, share]
    let count = shares.map { min(mine - $0, $0 - (counts[fewest] ?? 0)) }.max() ?? 0
    return count > 0 ? (min(count, settings.maxMoves), fewest) : nil
  }
}
