// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

@Suite(.timeLimit(.minutes(60))) struct `A room with many pages on other servers` {
  private let slot = RoomKey(screen: "counter", name: "tea", isPrivate: false).slot
  private let room = ["room": "tea", "edits": "1"]

  private func network(
    seed: UInt64 = 7, nodes: Int = 2, loops: Int = 1, store: SimulatedStore? = SimulatedStore(),
    _ change: (inout SessionConfiguration) -> Void = { $0.leastCrowd = 4 }
  ) -> SimulatedNetwork {
    var configuration = SessionConfiguration()
    configuration.sessionLifetime = .seconds(3_600)
    configuration.unusedSessionLifetime = .seconds(3_600)
    change(&configuration)
    let network = SimulatedNetwork(
      seed: seed, nodes: nodes, loops: loops, configuration: configuration, store: store,
      routes: [.counter(scope: .room)])
    network.takeAll { _ in 0 }
    settle(network)
    return network
  }

  private func settle(_ network: SimulatedNetwork, _ time: Duration = .seconds(1)) {
    network.run(until: network.now + time)
  }

  private func page(_ network: SimulatedNetwork, at node: Int, edits: Bool = true) -> RawPage {
    network.entrance = node
    return RawPage(network, "counter", query: edits ? room : ["room": "tea"])
  }

  /// The frames of a page in which something is, as places in the order in which they came.
  private func places(_ page: RawPage, _ text: String) -> [Int] {
    page.frames.indices.filter { page.frames[$0].contains(text) }
  }

  // MARK: - What a link carries

  @Test(arguments: [1, 2])
  func `costs each loop of a server the frame and a few bytes for each turn, however many they are`(
    loops: Int
  ) {
    func bytesOfTurn(readers: Int) -> (perTurn: Int, frame: Int) {
      let network = network(loops: loops) { _ in }
      let writer = page(network, at: 0)
      let readers = (0..<readers).map { _ in page(network, at: 1) }
      settle(network)
      writer.send(#"{"input":1,"name":"tap"}"#)
      settle(network)
      let before = network.nodeBytes
      for number in 2...21 {
        writer.send(#"{"input":\#(number),"name":"tap"}"#)
        settle(network, .milliseconds(100))
      }
      #expect(readers.allSatisfy { $0.state["sum"] == "21" })
      #expect(network.audienceTurns >= 20 * loops)
      return ((network.nodeBytes - before) / 20 / loops, readers[0].frames.last?.utf8.count ?? 0)
    }
    let (few, many) = (bytesOfTurn(readers: 50 * loops), bytesOfTurn(readers: 500))
    #expect(many.perTurn - few.perTurn <= 2, "\(few) \(many)")
    #expect(many.perTurn <= many.frame + 32, "\(many)")
  }

  // MARK: - What a record has

  @Test func `has records that tell the last inputs of all who have tapped, and look at nobody else`() throws
  {
    let (store, key) = (SimulatedStore(), RoomKey(screen: "counter", name: "tea", isPrivate: false))
    var wholes: [StoredRoom] = []
    store.falsify = { changes in
      wholes += changes.rooms
      return changes
    }
    let network = network(store: store)
    let pages = (0..<30).map { page(network, at: $0 % 2) }
    settle(network)
    for number in 1...150 {
      for page in pages[..<2] { page.send(#"{"input":\#(number),"name":"tap"}"#) }
      if number == 20 { pages[2].send(#"{"input":1,"name":"tap"}"#) }
      settle(network, .milliseconds(20))
    }
    let last = try #require(wholes.last)
    #expect(wholes.count > 2 && last.taken?.count == 3)
    #expect(last.taken?.first { $0.session == pages[2].session }?.number == 1)
    #expect(last.taken?.count { $0.number > 20 } == 2)
    let home = try #require(network.services.first as? Gateway)
    let room = try #require(home.sessions.rooms[key])
    #expect(room.members.count == 30 && room.keeping?.takers.count == 3)
  }

  // MARK: - Pages with something of their own

  @Test func `tells a page that types its acknowledgement before the turn, and all the others the turn once`()
  {
    let network = network()
    let home = page(network, at: 0)
    let pages = (0..<8).map { page(network, at: 1, edits: $0 < 6) }
    settle(network)
    for number in 1...30 {
      let writer = pages[number % 8]
      let count = writer.values.compactMap { $0["ack"]?.intValue }.last ?? 0
      writer.send(#"{"input":\#(count + 1),"name":"text","value":"<\#(number)>"}"#)
      if number % 3 == 0 { pages[(number + 1) % 8].send(#"{"ping":\#(number)}"#) }
      settle(network, .milliseconds(number % 2 == 0 ? 200 : 1))
      settle(network)
      let (acks, turns) = (places(writer, #""ack":"#), places(writer, "<\(number)>"))
      #expect(turns.count == 1 && (acks.last ?? .max) < (turns.first ?? -1))
    }
    for page in pages {
      #expect(page.state["echo"] == "<30>")
      for number in 1...30 { #expect(places(page, "<\(number)>").count == 1) }
    }
    #expect(home.state["echo"] == "<30>" && network.audienceTurns > 15)
  }

  @Test func `lets a page that reads slowly go its own way, and has it back when it reads`() {
    let network = network { configuration in
      configuration.leastCrowd = 4
      configuration.turnPausePerPage = .zero
    }
    let writer = page(network, at: 0)
    let pages = (0..<6).map { _ in page(network, at: 1) }
    settle(network, .seconds(4))
    pages[0].link?.isStalled = true
    for number in 1...600 {
      writer.send(
        #"{"input":\#(number),"name":"text","value":"\#(String(repeating: "x", count: 500))\#(number)"}"#)
      settle(network, .milliseconds(10))
    }
    settle(network)
    for page in pages[1...] { #expect(page.state["echo"] == writer.state["echo"]) }
    #expect(pages[0].state["echo"] != writer.state["echo"])
    let before = network.nodeBytes
    writer.send(#"{"input":601,"name":"tap"}"#)
    settle(network)
    // Home has nothing more for it: its window is full.
    #expect(network.nodeBytes - before < 400)

    pages[0].link?.isStalled = false
    settle(network)
    #expect(pages[0].isUp && pages[0].state["echo"] == writer.state["echo"])
    #expect(pages[0].values.count { $0["snapshot"] != nil } == 2, "Its turns did not wait for it for ever.")
    #expect(pages[1].values.count { $0["snapshot"] != nil } == 1)
    #expect(pages[0].values.count { $0["snapshot"] != nil } == 2, "Its turns were not kept for it for ever.")
    #expect(pages[1].values.count { $0["snapshot"] != nil } == 1)
    let turns = network.nodeBytes
    writer.send(#"{"input":602,"name":"tap"}"#)
    settle(network)
    #expect(network.nodeBytes - turns < 200, "It gets its turns with the others.")
    #expect(pages.allSatisfy { $0.state["sum"] == writer.state["sum"] })
  }

  @Test func `goes on with a page that resumes elsewhere while its former connection is there`() {
    let network = network(nodes: 3, store: nil)
    let writer = page(network, at: 0)
    let pages = (0..<6).map { _ in page(network, at: 1) }
    settle(network, .seconds(4))
    let former = pages[0].link
    for number in 1...9 {
      // What comes meanwhile it asks for again.
      if number == 3 { former?.isStalled = true }
      if number == 6 {
        network.entrance = 2
        pages[0].resume(room)
      }
      writer.send(#"{"input":\#(number),"name":"tap"}"#)
      settle(network, .milliseconds(number < 6 ? 100 : 3))
    }
    settle(network)
    #expect(pages[0].isUp && pages[0].link !== former)
    #expect(pages[0].values.count { $0["snapshot"] != nil } == 1)
    #expect(pages[0].values.compactMap { $0["sequence"]?.intValue } == Array(0...9))
    for page in pages { #expect(page.state["sum"] == "9") }
  }

  @Test func `gives snapshots to all when a link was still for longer than turns are kept`() {
    let network = network { ($0.leastCrowd, $0.maxLogTurns) = (4, 5) }
    let writer = page(network, at: 0)
    let pages = (0..<8).map { _ in page(network, at: 1) }
    settle(network)
    network.setFlowing(0, to: 1, false)
    for number in 1...20 {
      writer.send(#"{"input":\#(number),"name":"tap"}"#)
      settle(network, .milliseconds(50))
    }
    network.setFlowing(0, to: 1, true)
    settle(network)
    for page in pages {
      #expect(page.state["sum"] == "20" && page.values.filter { $0["snapshot"] != nil }.count == 2)
    }
    let before = network.audienceTurns
    writer.send(#"{"input":21,"name":"tap"}"#)
    settle(network)
    #expect(network.audienceTurns == before + 1)
  }

  // MARK: - Everything at once

  /// Pages that come, tap, write, lose their connections, read nothing for a while, and resume somewhere, while links are cut or
  /// take nothing, and the room moves.
  private func run(_ seed: UInt64) -> (problem: String?, audienceTurns: Int) {
    var random = SplitMix64(seed: seed)
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    let pause = [0, 0, 1, 20][below(4)]
    let network = network(seed: seed, nodes: 3, loops: 1 + below(2)) { configuration in
      configuration.leastCrowd = 2 + below(3)
      configuration.maxLogTurns = [512, 12][below(2)]
      configuration.turnPausePerPage = .milliseconds(pause)
    }
    defer { network.end() }
    network.loopPause = .milliseconds([0, 10][below(2)])
    var pages: [(page: RawPage, query: [String: String], sent: Int)] = []
    for step in 0..<80 {
      if pages.count < 10 || below(40) == 0 {
        let edits = below(4) > 0
        pages.append((page(network, at: below(3), edits: edits), edits ? room : ["room": "tea"], 0))
      }
      let number = below(pages.count)
      let page = pages[number].page
      switch below(24) {
      case 0..<11 where page.isUp:
        pages[number].sent += 1
        let input =
          below(2) == 0
          ? #""name":"tap""# : #""name":"text","value":"\#(step)\#(String(repeating: "x", count: 500))""#
        page.send(#"{"input":\#(pages[number].sent),\#(input)}"#)
      case 11..<13: page.link?.isStalled = true
      case 13..<16: page.link?.isStalled = false
      case 16: page.link?.drop()
      case 17:
        let (one, other) = (below(3), below(3))
        if one != other {
          network.cutLink(one, other)
          network.schedule(network.now + .milliseconds(below(300))) { network.openLink(one, other) }
        }
      case 18:
        let (one, other) = (below(3), below(3))
        guard one != other else { break }
        network.setFlowing(one, to: other, false)
        network.schedule(network.now + .milliseconds(below(300))) { network.setFlowing(one, to: other, true) }
      case 19 where below(3) == 0: network.take(slot, byNode: below(3))
      case 20: network.directoryDelay = .milliseconds([0, 20, 250][below(3)])
      default: break
      }
      if below(2) == 0 { settle(network, .milliseconds(below(60))) }
      for index in pages.indices where !pages[index].page.isUp { comeBack(&pages[index], network, below(3)) }
    }
    for page in pages { page.page.link?.isStalled = false }
    for _ in 0..<6 {
      settle(network, .seconds(4))
      for index in pages.indices where !pages[index].page.isUp { comeBack(&pages[index], network, below(3)) }
    }
    settle(network, .seconds(4))
    return (problem(pages.map(\.page), network), network.audienceTurns)
  }

  /// A page that was lost resumes, and sends on from where its session is.
  private func comeBack(
    _ page: inout (page: RawPage, query: [String: String], sent: Int), _ network: SimulatedNetwork,
    _ node: Int
  ) {
    guard page.page.link?.isOpen != true else { return }
    network.entrance = node
    if page.page.session.isEmpty {
      page.page.connect(page.query)
    } else {
      page.page.resume(page.query)
    }
    settle(network, .milliseconds(300))
    guard let known = page.page.values.last(where: { $0["resumed"] != nil || $0["hello"] != nil }) else {
      return
    }
    page.sent = known["resumed"]?["ack"]?.intValue ?? 0
  }

  private func problem(_ pages: [RawPage], _ network: SimulatedNetwork) -> String? {
    let witness = page(network, at: 0)
    settle(network)
    for (number, page) in pages.enumerated() {
      guard page.isUp else { return "page \(number) is not up" }
      // Not of the field, which pages with edits do not have in their state.
      for name in ["sum", "echo"] where page.state[name] != witness.state[name] {
        return
          "page \(number) shows \("\(page.state)".prefix(200)), the witness \("\(witness.state)".prefix(200))"
      }
      var last = 0
      for frame in page.values {
        if frame["snapshot"] != nil || frame["hello"] != nil { last = 0 }
        guard let sequence = frame["sequence"]?.intValue, frame["patch"] != nil else {
          last = frame["sequence"]?.intValue ?? last
          continue
        }
        if last > 0, sequence != last + 1 { return "page \(number) got turn \(sequence) after \(last)" }
        last = sequence
      }
    }
    return nil
  }

  @Test func `is the same for all, whatever happens`() {
    let seeds = UInt64(0)..<(Self.isLong ? 300 : 12)
    var turns = 0
    for seed in seeds {
      let (problem, audienceTurns) = run(seed)
      turns += audienceTurns
      if let problem {
        Issue.record("seed \(seed): \(problem)")
        break
      }
    }
    #expect(turns > 10 * seeds.count, "\(turns)")
  }

  private static let isLong = ProcessInfo.processInfo.environment["MUSUBI_LONG"] == "1"

  // MARK: - How often it has turns

  @Test(arguments: [10, 40]) func `has fewer turns the more pages it has, and acknowledges all the same`(
    count: Int
  ) {
    let network = network { ($0.leastCrowd, $0.turnPausePerPage) = (4, .milliseconds(2)) }
    let writers = (0..<2).map { _ in page(network, at: 0) }
    let readers = (2..<count).map { _ in page(network, at: 1) }
    // A new room takes what pages hand over first.
    settle(network, .seconds(4))
    let frames = readers.map(\.frames.count)
    let begin = network.now
    var latest: Duration = .zero
    for number in 1...200 {
      let sent = network.now
      writers[number % 2].send(#"{"input":\#((number + 1) / 2),"name":"tap"}"#)
      while writers[number % 2].last("ack")?.intValue != (number + 1) / 2, network.now < sent + .seconds(1) {
        settle(network, .milliseconds(1))
      }
      latest = max(latest, network.now - sent)
      network.run(until: begin + .milliseconds(10 * number))
    }
    let most = Int((network.now - begin) / (.milliseconds(2) * count)) + 2
    settle(network)
    let turns = readers[0].frames.count - frames[0]
    #expect(turns <= most && turns >= most * 6 / 10, "\(turns) of \(most)")
    #expect(latest < .milliseconds(60), "\(latest)")
    for page in readers + writers { #expect(page.state["sum"] == "200") }
  }

  @Test func `shows who comes the state of the next turn, and whoever returns all that it has missed`() {
    let network = network { ($0.leastCrowd, $0.turnPausePerPage) = (4, .milliseconds(50)) }
    let writer = page(network, at: 0)
    let pages = (0..<7).map { page(network, at: $0 % 2) }
    settle(network, .seconds(4))
    var late: [RawPage] = []
    for number in 1...60 {
      writer.send(#"{"input":\#(number),"name":"text","value":"\#(number)"}"#)
      settle(network, .milliseconds(7))
      if number == 20 { pages[0].link?.drop() }
      if number % 10 == 5 { late.append(page(network, at: number / 10 % 2)) }
      if number == 40 {
        network.entrance = 1
        pages[0].resume(room)
      }
    }
    settle(network)
    for page in pages + late {
      #expect(page.state["echo"] == "60" && page.state["sum"] == writer.state["sum"])
    }
    #expect(pages[0].last("resumed") != nil)
    // A snapshot says what the turn of its number has made of the screen, and nothing of the next one.
    var shown: [Int: Value] = [:]
    for turn in writer.values where turn["patch"] != nil {
      guard let number = turn["sequence"]?.intValue else { continue }
      shown[number] = turn["patch"]?.arrayValue?.first { $0["path"] == "/echo" }?["value"]
    }
    for page in late {
      let snapshots = page.values.filter { $0["snapshot"] != nil }
      #expect(snapshots.count == 1)
      for snapshot in snapshots {
        #expect(snapshot["snapshot"]?["echo"] == shown[snapshot["sequence"]?.intValue ?? 0])
      }
    }
  }
}
