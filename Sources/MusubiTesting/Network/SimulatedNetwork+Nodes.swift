// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
package import MusubiSession

/// Several servers: their links, their directory, and their deaths.
///
/// A server's number is also the one that the others have given to it. What goes over a link goes as bytes. The directory is
/// a script: it does what a test says, and tells the servers after a while.
extension SimulatedNetwork {
  // MARK: - Links

  /// Opens the links between two servers.
  package func openLink(_ one: Int, _ other: Int) {
    guard !nodes[one].services.isEmpty, !nodes[other].services.isEmpty else { return }
    lastNodeLink += 1
    for (node, peer) in [(one, other), (other, one)] {
      nodeLinks[NodePair(node: node, other: peer)] = lastNodeLink
      for gateway in nodes[node].gateways {
        for loop in 0..<loops { gateway.open(Place.remote(peer: peer, loop: loop)) }
      }
    }
  }

  /// Cuts the links between two servers: nothing leaves any more, and each notices by itself.
  package func cutLink(_ one: Int, _ other: Int) {
    for (node, peer) in [(one, other), (other, one)] {
      let pair = NodePair(node: node, other: peer)
      // One that was cut a moment ago is not cut twice.
      guard let link = nodeLinks[pair], link > 0 else { continue }
      nodeLinks[pair] = -link
      schedule(arrival(on: [node, peer], nodeLatency), on: nodes[node]) { [weak self] in
        // It may be up again.
        guard let self, nodeLinks[pair] == -link else { return }
        nodeLinks[pair] = nil
        for gateway in nodes[node].gateways {
          for loop in 0..<loops { gateway.end(Place.remote(peer: peer, loop: loop)) }
        }
      }
    }
  }

  /// Says whether the socket of the links from one server to another takes bytes.
  package func setFlowing(_ node: Int, to other: Int, _ isFlowing: Bool) {
    for gateway in nodes[node].gateways {
      for loop in 0..<loops { gateway.setFlowing(Place.remote(peer: other, loop: loop), isFlowing) }
    }
  }

  /// Brings a batch to a loop of another server, as bytes; it is lost if the link is cut, or ends before.
  func send(_ batch: LoopBatch, to place: Int, from node: SimulatedNode) {
    let (peer, loop) = Place.parts(of: place)
    guard let link = nodeLinks[NodePair(node: node.number, other: peer)], link > 0 else { return }
    let bytes = batch.encoded(at: node.time(at: now))
    nodeBytes += bytes.count
    audienceTurns += batch.audienceTurns
    largestNodeBatch = max(largestNodeBatch, bytes.count)
    let sender = Place.remote(peer: node.number, loop: batch.sender)
    let back = NodePair(node: peer, other: node.number)
    let arrival = arrival(on: [node.number, batch.sender, peer, loop], nodeLatency)
    schedule(arrival, on: nodes[peer]) { [weak self] in
      // What left before the cut arrives as long as the receiver has not noticed.
      guard let self, nodeLinks[back].map(abs) == link else { return }
      do {
        try bytes.withUnsafeBytes { try nodes[peer].gateway(loop)?.take($0, from: sender) }
      } catch {
        fatalError("A server has sent what no server understands: \(error)")
      }
    }
  }

  // MARK: - The directory

  /// Has a server take a slot from whoever has it.
  ///
  /// - Parameters:
  ///   - slot: The slot.
  ///   - node: The server; nothing happens if it does not run.
  package func take(_ slot: Int, byNode node: Int) {
    schedule(now) { [weak self] in self?.takeNow(slot, node) }
  }

  private func takeNow(_ slot: Int, _ node: Int) {
    guard let gateway = nodes[node].gateway(slot % loops) else { return }
    let known = nodes.flatMap(\.gateways).map { $0.generation(of: slot) }.max() ?? 0
    let generation = max(known, owners[slot]?.move.generation ?? 0, store?.fence(of: slot) ?? 0) + 1
    let move = SlotMove(generation: generation, lostSince: generation)
    owners[slot] = SlotOwner(node: node, move: move)
    var state = store?.take(slot, generation: generation) ?? StoredState()
    for session in store?.storedSessions ?? [] where session.label.slot == slot {
      let later = signOuts.dropFirst(session.signOuts ?? 0)
      if later.contains(where: { $0.logIn == nil && $0.identity == session.visitor.id }) {
        state.signOut([session.id])
      }
    }
    gateway.adopt(slot, state, move)
    tell(slot)
  }

  /// Has whoever has a slot give it to another server.
  ///
  /// - Parameters:
  ///   - slot: The slot; nothing happens if nobody has it.
  ///   - other: The server.
  package func give(_ slot: Int, toNode other: Int) {
    schedule(now) { [weak self] in
      guard let self, let owner = owners[slot], let node = owner.node, node != other else { return }
      nodes[node].gateway(slot % loops)?.sessions.release([slot]) { [weak self] _, _ in
        self?.handOver(slot, from: owner, to: other)
      }
    }
  }

  /// Nothing of a slot is at its owner's any more: another one gets it.
  private func handOver(_ slot: Int, from owner: SlotOwner, to other: Int) {
    let generation = owner.move.generation + 1
    guard owners[slot]?.move.generation == owner.move.generation else { return }
    // One that has ended gets nothing.
    guard let gateway = nodes[other].gateway(slot % loops) else { return takeNow(slot, owner.node ?? other) }
    guard store?.give(slot, generation) != false else { return }
    let move = SlotMove(generation: generation, lostSince: owner.move.lostSince)
    owners[slot] = SlotOwner(node: other, move: move)
    gateway.adopt(slot, store?.take(slot, generation: generation) ?? StoredState(), move)
    tell(slot)
  }

  /// The server that has a slot; nil if none has.
  package func owner(of slot: Int) -> Int? { owners[slot]?.node }

  /// Has servers take all slots.
  package func takeAll(_ node: (_ slot: Int) -> Int) {
    for slot in 0..<RecordLabel.slots { take(slot, byNode: node(slot)) }
  }

  /// Tells the servers who has a slot.
  private func tell(_ slot: Int) {
    guard let delay = directoryDelay, let owner = owners[slot] else { return }
    for node in nodes where node.number != owner.node { tell(node, slot, owner, at: now + delay) }
  }

  private func tell(_ node: SimulatedNode, _ slot: Int, _ owner: SlotOwner, at time: Duration) {
    let home = owner.node.map { Place.remote(peer: $0, loop: slot % loops) }
    schedule(time) { [weak node] in
      for gateway in node?.gateways ?? [] { gateway.note(slot, home: home, owner.move) }
    }
  }

  /// Has all servers hear that a visitor was signed out.
  ///
  /// - Parameters:
  ///   - who: Whose sessions end.
  ///   - delay: When a server hears of it; nil if it never does.
  ///   - done: Told by each loop that has ended them.
  package func signOut(
    _ who: SignedOut, delay: @escaping (_ node: Int) -> Duration?,
    done: @escaping @Sendable (Bool) -> Void = { _ in }
  ) {
    schedule(now) { [self] in
      signOuts.append(who)
      let number = signOuts.count
      for node in nodes where !node.services.isEmpty {
        guard let delay = delay(node.number) else { continue }
        schedule(now + delay) { [weak node] in
          for gateway in node?.gateways ?? [] {
            gateway.sessions.endSessions(of: who, number: number, done: done)
          }
        }
      }
    }
  }

  // MARK: - Death

  /// Kills a server without a word.
  ///
  /// - Parameters:
  ///   - node: The server.
  ///   - byEvent: Whether what it runs at the moment has ended it, and its process is not started again to tell.
  package func kill(_ node: Int, byEvent: Bool = false) {
    store?.crash(random, of: node, byEvent: byEvent)
    // The event is still running.
    if byEvent { schedule(now) { [weak self] in self?.end(node) } } else { end(node) }
  }

  private func end(_ node: Int) {
    nodes[node].services = []
    loseLinks { $0.node == node }
    // What comes to a server that has stood still finds nobody.
    nodes[node].resume()
    for other in nodes where other.number != node { cutLink(node, other.number) }
  }

  /// Says that nobody has the slots of a server any more.
  package func bury(_ node: Int) {
    for (slot, owner) in owners.sorted(by: { $0.key < $1.key }) where owner.node == node {
      owners[slot] = SlotOwner(node: nil, move: owner.move)
      tell(slot)
    }
  }

  /// Starts a server that was killed; it knows who has which slot, and has none.
  package func startNode(_ node: Int) {
    store?.begin(node)
    start(nodes[node], StoredState())
    for gateway in nodes[node].gateways { gateway.sessions.noteSignOuts(upTo: signOuts.count) }
    for other in nodes where other.number != node { openLink(node, other.number) }
    for (slot, owner) in owners.sorted(by: { $0.key < $1.key }) where owner.node != node {
      tell(nodes[node], slot, owner, at: now)
    }
  }
}
