// SPDX-License-Identifier: Apache-2.0
import MusubiCluster
import MusubiSession
import MusubiStorage
import Seeds
import Testing

/// Decisions of nodes about slots, against a directory in memory whose time is the test's.
@Suite struct OwnershipTests {
  @Test func aNodeAloneTakesEverything() {
    let world = World(nodes: 1)
    world.run(for: .seconds(1))
    #expect(world.nodes[0].here.count == RecordLabel.slots)
    #expect(world.nodes[0].ownership.isReady)
    #expect(world.isWhole)
  }

  @Test func nodesThatAreThereAtOnceShare() {
    let world = World(nodes: 0)
    // Three are entered before the first of them takes anything.
    for _ in 0..<3 { world.add() }
    world.run(for: .seconds(2))
    #expect(world.isWhole)
    #expect(world.nodes.map(\.here.count).allSatisfy { (1_364...1_366).contains($0) })
  }

  @Test func aSilentNodeIsBuriedAndWhatItHadIsShared() {
    let world = World(nodes: 3)
    world.run(for: .seconds(2))
    world.nodes[0].isDead = true
    world.run(for: .seconds(1))
    #expect(world.rows.count == 3, "one second of silence is not enough")
    world.run(for: .seconds(1))
    #expect(world.rows.count == 2)
    #expect(world.isWhole)
    #expect(world.nodes[1].here.count == 2_048 && world.nodes[2].here.count == 2_048)
    let moved = world.slots.filter { $0.generation == 2 }
    #expect(moved.count == 1_366 && moved.allSatisfy { $0.lostSince == 2 })
  }

  @Test func nothingGoesToAnOlderBuildAsLongAsANewerOneIsThere() {
    let world = World(nodes: 3, slots: 256)
    world.run(for: .seconds(100))
    let old = world.nodes
    // As far as the second of three, and then nothing for a while.
    world.replace(old[0], build: "8-1")
    world.run(for: .seconds(100))
    world.end(old[1])
    let (new, rest) = (world.nodes[3], old[2].here.count)
    world.run(for: .seconds(300))
    #expect(new.here.count > rest && old[2].here.count <= rest)
    #expect(world.isWhole)
    // An old program that is started again is the youngest process, and takes nothing.
    world.add(build: "7-1")
    world.run(for: .seconds(100))
    #expect(world.nodes[4].here.isEmpty)
    // Of one that dies the newer one has all.
    old[2].isDead = true
    world.run(for: .seconds(3))
    #expect(new.here.count == 256 && world.isWhole)
    // Without the newer one an older one serves.
    new.isDead = true
    world.run(for: .seconds(3))
    #expect(world.nodes[4].here.count == 256 && world.isWhole)
  }

  @Test func theNewestBuildGivesEverythingAwayWhenItIsRolledBack() {
    let world = World(nodes: 0, slots: 256)
    for build in ["8-1", "8-1"] { world.add(build: build) }
    world.run(for: .seconds(100))
    let lost = world.slots.map(\.lostSince)
    for node in world.nodes {
      world.replace(node, build: "7-1")
      world.run(for: .seconds(2))
    }
    world.run(for: .seconds(5))
    #expect(world.isWhole)
    #expect(world.slots.map(\.lostSince) == lost, "Nobody had to take what was not given.")
  }

  @Test func slotsThatTheStoreDoesNotTakeAreLoadedAgain() {
    let world = World(nodes: 1)
    world.run(for: .seconds(2))
    let node = world.nodes[0]
    for slot in 0..<10 { node.here[slot] = nil }
    node.ownership.dropped(0..<10)
    world.run(for: .seconds(1))
    #expect(world.isWhole && node.ownership.here == RecordLabel.slots)
  }

  @Test func aNodeAtWhoseAddressNobodyListensIsBuriedSooner() {
    let world = World(nodes: 2)
    world.run(for: .seconds(2))
    world.nodes[0].isDead = true
    world.nodes[1].ownership.note(world.nodes[0].id, isRefused: true)
    world.run(for: .seconds(1))
    #expect(world.rows.count == 1)
  }

  @Test func whoWasAwayItselfDeclaresNobodyDead() {
    let world = World(nodes: 3)
    world.run(for: .seconds(2))
    // The server is away for all.
    for node in world.nodes { node.isCut = true }
    world.run(for: .seconds(30))
    world.nodes[0].isCut = false
    // The others need a while to connect again.
    world.run(for: .seconds(8))
    #expect(world.rows.count == 3)
    for node in world.nodes { node.isCut = false }
    world.run(for: .seconds(5))
    #expect(world.rows.count == 3 && world.moves == 4_096)
  }

  @Test func aNodeThatWasBuriedEnds() {
    let world = World(nodes: 2)
    world.run(for: .seconds(2))
    world.nodes[0].isCut = true
    world.run(for: .seconds(3))
    #expect(world.rows.count == 1)
    world.nodes[0].isCut = false
    world.run(for: .milliseconds(250))
    #expect(world.nodes[0].hasExited)
  }

  @Test func aNodeThatEndsGivesEverythingAway() {
    let world = World(nodes: 3)
    world.run(for: .seconds(2))
    world.nodes[0].ownership.drain()
    world.rows[world.nodes[0].id]?.isDraining = true
    world.run(for: .seconds(2))
    #expect(world.nodes[0].ownership.isDrained && world.nodes[0].here.isEmpty)
    #expect(world.isWhole)
    #expect(abs(world.nodes[1].here.count - world.nodes[2].here.count) <= 2)
    #expect(world.slots.allSatisfy { $0.lostSince == 0 || $0.lostSince < $0.generation })
  }

  @Test func aNodeThatEndsSaysSoUntilItIsHeard() {
    let world = World(nodes: 3)
    world.run(for: .seconds(2))
    // The directory is away when both are told to end.
    for node in world.nodes.prefix(2) {
      node.losesRequests = true
      node.ownership.drain()
    }
    world.run(for: .seconds(1))
    for node in world.nodes { node.losesRequests = false }
    world.run(for: .seconds(3))
    #expect(world.nodes.map(\.here.count) == [0, 0, RecordLabel.slots])
    #expect(world.nodes.prefix(2).allSatisfy { $0.ownership.isDrained })
  }

  @Test func theLastNodeNeedNotWait() {
    let world = World(nodes: 1)
    world.run(for: .seconds(1))
    world.nodes[0].ownership.drain()
    #expect(world.nodes[0].ownership.isDrained)
  }

  @Test func aNewNodeGetsItsShareAfterAWhile() {
    let world = World(nodes: 1, slots: 256)
    world.run(for: .seconds(2))
    world.add()
    world.run(for: .seconds(57))
    #expect(world.nodes[1].here.isEmpty)
    world.run(for: .seconds(150))
    #expect(world.isWhole)
    #expect(abs(world.nodes[0].here.count - world.nodes[1].here.count) <= 2)
    let moves = world.moves
    world.run(for: .seconds(30))
    #expect(world.moves == moves, "nothing moves for ever")
  }

  @Test func theLastOfManyNodesGetsItsShare() {
    for nodes in [1, 2, 3, 7] {
      let world = World(nodes: nodes, slots: 2 * nodes)
      world.run(for: .seconds(2))
      world.add()
      world.run(for: .seconds(600))
      #expect(world.difference <= 1, "\(nodes) nodes and one")
      let moves = world.moves
      world.run(for: .seconds(60))
      #expect(world.moves == moves, "nothing moves for ever")
    }
  }

  /// Each move of a slot costs the pages of its sessions a reconnect.
  @Test func whileOneNodeIsReplacedASlotMovesOnce() {
    let world = World(nodes: 3, slots: 256)
    world.run(for: .seconds(62))
    for index in 0..<3 {
      let before = world.slots.map(\.generation)
      world.replace(world.nodes[index])
      // The next one is replaced before all have quite as many.
      repeat { world.run(for: .seconds(1)) } while world.difference > 26
      let most = zip(world.slots, before).map { $0.generation - $1 }.max() ?? 0
      #expect(most == 1, "replacement \(index + 1)")
    }
    #expect(world.isWhole)
  }

  @Test func aSlotThatWasTakenAwayAndCameBackBetweenTwoReadingsIsReadAgain() {
    let world = World(nodes: 1)
    world.run(for: .seconds(1))
    // Somebody has taken it, and this node has taken it from that one.
    world.slots[7].generation += 2
    world.version += 1
    world.versions[7] = world.version
    world.run(for: .seconds(1))
    #expect(world.nodes[0].here[7] == 3 && world.isWhole)
  }

  @Test func aNodeThatWasToldToGiveEverythingAwayTakesWhatNobodyElseCan() {
    let world = World(nodes: 2)
    world.run(for: .seconds(2))
    world.rows[world.nodes[0].id]?.isDraining = true
    world.run(for: .seconds(2))
    #expect(world.nodes[0].here.isEmpty)
    world.nodes[1].isDead = true
    world.rows[world.nodes[1].id] = nil
    world.run(for: .seconds(1))
    #expect(world.isWhole)
  }

  @Test(
    arguments: [(generation: 0, node: nil), (generation: 1, node: 99)] as [(generation: Int, node: Int64?)])
  func aServerThatHasForgottenAnOwnerEndsTheNode(known: (generation: Int, node: Int64?)) {
    let world = World(nodes: 1)
    world.run(for: .seconds(1))
    (world.slots[3].generation, world.slots[3].node) = known
    world.nodes[0].version = -1
    world.run(for: .milliseconds(250))
    #expect(world.nodes[0].hasExited)
  }

  @Test func aServerThatLacksWhatAnotherNodeHasToldIsReadAgain() {
    let world = World(nodes: 2)
    world.run(for: .seconds(1))
    let (node, slot) = (world.nodes[0], world.slots[7])
    node.ownership.hear(7, generation: slot.generation, of: slot.node ?? 0)
    world.run(for: .milliseconds(500))
    #expect(!node.hasExited && node.rereadings == 0)
    // The next reading has it.
    node.ownership.hear(7, generation: slot.generation + 1, of: 99)
    world.slots[7].generation += 1
    world.slots[7].node = world.nodes[1].id
    world.run(for: .milliseconds(500))
    #expect(node.rereadings == 1 && node.hasExited, "The generation is of another node.")
  }

  @Test(arguments: 0..<3) func manyFaults(index: Int) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let world = World(nodes: 3, slots: 256)
    for _ in 0..<40 {
      let node = world.nodes.randomElement(using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0 where world.nodes.count { !$0.isDead && !$0.hasExited } > 1: node?.isDead = true
      case 1: node?.isCut.toggle()
      case 2: if world.nodes.count < 6 { world.add() }
      case 3: node?.losesAnswers.toggle()
      case 4: node?.isSlow.toggle()
      default: break
      }
      world.run(for: .milliseconds(.random(in: 100...1_500, using: &random)))
      #expect(world.doubleOwners == 0, "seed \(seed)")
    }
    for node in world.nodes { (node.isCut, node.losesAnswers, node.isSlow) = (false, false, false) }
    // The others may have been buried while they were cut off, and end now.
    world.add()
    world.run(for: .seconds(18))
    #expect(world.isWhole, "seed \(seed)")
  }
}

/// A directory in memory, with nodes that read it every 250 ms.
private final class World {
  final class Node {
    let id: Int64
    var ownership: Ownership
    var version = -1
    /// The slots that it serves, with their generations.
    var here: [Int: Int] = [:]
    var isDead = false
    /// It does not reach the directory.
    var isCut = false
    /// What it changes in the directory is done, and it does not know.
    var losesAnswers = false
    /// The directory does not hear that it ends.
    var losesRequests = false
    /// Its loops take their time.
    var isSlow = false
    var hasExited = false
    var rereadings = 0
    var later: [() -> Void] = []

    init(_ id: Int64, slots: Int) {
      self.id = id
      var settings = Ownership.Settings()
      (settings.slots, settings.maxMoves) = (slots, max(1, slots / 20))
      ownership = Ownership(node: id, settings: settings)
    }
  }

  struct Row {
    var seen: Duration
    let since: Duration
    var isDraining = false
    var build = "7-1"
  }

  var now: Duration = .zero
  var nodes: [Node] = []
  var rows: [Int64: Row] = [:]
  var slots: [DirectorySlot]
  var versions: [Int]
  var version = 0
  var moves = 0

  init(nodes count: Int, slots: Int = RecordLabel.slots) {
    self.slots = (0..<slots).map { DirectorySlot(slot: $0, node: nil, generation: 0, lostSince: 0) }
    versions = Array(repeating: 0, count: slots)
    for _ in 0..<count { add() }
  }

  func add(build: String = "7-1") {
    let node = Node(Int64(nodes.count + 1), slots: slots.count)
    nodes.append(node)
    rows[node.id] = Row(seen: now, since: now, build: build)
  }

  /// Ends a node, which gives everything away, and starts another one.
  func replace(_ node: Node, build: String = "7-1") {
    end(node)
    add(build: build)
  }

  /// Ends a node, which gives everything away.
  func end(_ node: Node) {
    node.ownership.drain()
    while !node.ownership.isDrained { run(for: .milliseconds(250)) }
    node.hasExited = true
    rows[node.id] = nil
  }

  /// How many slots the node with most of them has more than the one with fewest.
  var difference: Int {
    let counts = nodes.filter { !$0.isDead && !$0.hasExited }.map(\.here.count)
    return (counts.max() ?? 0) - (counts.min() ?? 0)
  }

  /// Whether each slot is served by the node that the directory names, and by no other that lives.
  var isWhole: Bool {
    slots.allSatisfy { slot in
      nodes.contains {
        $0.id == slot.node && !$0.isDead && !$0.hasExited && $0.here[slot.slot] == slot.generation
      }
    }
  }

  /// How many slots two nodes serve in the same generation.
  var doubleOwners: Int {
    var seen: Set<[Int]> = []
    return nodes.reduce(0) { sum, node in
      sum + node.here.count { !seen.insert([$0.key, $0.value]).inserted }
    }
  }

  func run(for duration: Duration) {
    let end = now + duration
    while now < end {
      now += .milliseconds(250)
      for node in nodes where !node.isDead && !node.hasExited { tick(node) }
    }
  }

  private func tick(_ node: Node) {
    let due = node.isSlow && Int(now / .milliseconds(250)) % 4 != 0 ? [] : node.later
    if !due.isEmpty { node.later = [] }
    for work in due { work() }
    guard !node.isCut else { return }
    rows[node.id]?.seen = now
    let reading = DirectoryReading(
      nodes: rows.map { id, row in
        DirectoryNode(
          id: id, address: "a", build: row.build, loops: 1, isDraining: row.isDraining, seen: "\(row.seen)",
          age: now - row.since)
      }.sorted { $0.id < $1.id },
      moved: slots.filter { versions[$0.slot] > node.version }, isWhole: node.version < 0)
    node.version = version
    for order in node.ownership.read(reading, at: now) { perform(order, node) }
  }

  private func perform(_ order: Ownership.Order, _ node: Node) {
    switch order {
    case .bury(let ids):
      for (id, seen) in ids { if let row = rows[id], "\(row.seen)" == seen { rows[id] = nil } }
    case .announceDraining: if !node.losesRequests { rows[node.id]?.isDraining = true }
    case .take(let count):
      let free = slots.filter { $0.node.map { rows[$0] == nil } ?? true }.prefix(count)
      for slot in free { move(slot.slot, to: node.id, isLost: slot.node != nil) }
    case .load(let numbers):
      guard !node.losesAnswers else { return node.ownership.notLoaded(numbers) }
      let loaded = numbers.filter { slots[$0].node == node.id }
      node.ownership.notLoaded(numbers.filter { slots[$0].node != node.id })
      let generations = loaded.map { slots[$0].generation }
      node.later.append {
        node.ownership.loaded(Dictionary(uniqueKeysWithValues: zip(loaded, generations)))
        // A loop does not believe what is older than what it was told.
        for (slot, generation) in zip(loaded, generations) where self.slots[slot].node == node.id {
          node.here[slot] = generation
        }
      }
    case .abandon(let numbers), .lose(let numbers):
      node.later.append {
        for slot in numbers { node.here[slot] = nil }
        node.ownership.lost(numbers)
      }
    case .release(let numbers, _):
      node.later.append {
        for slot in numbers {
          guard let other = node.ownership.released(slot) else { continue }
          let generation = node.here.removeValue(forKey: slot)
          self.handOver([slot: generation ?? -1], to: other, node)
        }
      }
    case .handOver(let numbers, let other):
      handOver(Dictionary(uniqueKeysWithValues: numbers.map { ($0, slots[$0].generation) }), to: other, node)
    case .readAgain:
      node.rereadings += 1
      node.version = -1
    case .exit:
      node.hasExited = true
      node.here = [:]
    }
  }

  private func handOver(_ numbers: [Int: Int], to other: Int64, _ node: Node) {
    guard !node.isCut else { return }
    for (slot, generation) in numbers
    where slots[slot].node == node.id && slots[slot].generation == generation {
      move(slot, to: other, isLost: false)
    }
    if !node.losesAnswers { node.ownership.handedOver(numbers.keys) }
  }

  private func move(_ slot: Int, to node: Int64, isLost: Bool) {
    version += 1
    moves += 1
    versions[slot] = version
    slots[slot].node = node
    slots[slot].generation += 1
    if isLost { slots[slot].lostSince = slots[slot].generation }
  }
}
