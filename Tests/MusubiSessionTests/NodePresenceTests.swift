// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// Shows who is in the room `tea` of the screen `counter`.
private final class LobbyViewModel: InputOutputViewModel {
  struct Inputs: Decodable {}

  struct Outputs: Encodable {
    let tea: Driver<String>
  }

  private let tea: Driver<Presence>

  init(_ context: ScreenContext) { tea = context.presence(in: "tea", of: "counter") }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(
      tea: tea.map { presence in
        let people = presence.people.map { ($0.name ?? "?") + ($0.typing.map { " \($0)" } ?? "") }
        return "\(presence.count): \(people.joined(separator: ", "))"
      })
  }
}

@Suite struct `Who is in a room of another server` {
  private let network: SimulatedNetwork
  private let slot = RoomKey(screen: "counter", name: "tea", isPrivate: false).slot

  init() {
    network = SimulatedNetwork(
      seed: 5, nodes: 3, loops: 2, store: SimulatedStore(),
      routes: [
        .counter(scope: .room),
        ScreenRoute(name: "lobby", scope: .session) {
          InputOutputScreen(LobbyViewModel($0), name: "lobby")
        },
      ],
      authorize: { Visitor(id: $0.headers["cookie"], displayName: $0.headers["cookie"]) })
  }

  private func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

  /// All slots are somebody's, the room's the first server's.
  private func begin() {
    network.takeAll { $0 == slot ? 0 : $0 % 3 }
    settle()
  }

  private func guest(_ name: String, at node: Int) -> RawPage {
    network.entrance = node
    return RawPage(network, "counter", query: ["room": "tea", "edits": "1"], as: name)
  }

  private func lobby(at node: Int) -> RawPage {
    network.entrance = node
    return RawPage(network, "lobby", as: "eve")
  }

  private func told(_ pages: [RawPage]) -> [String?] { pages.map { $0.state["tea"]?.stringValue } }

  private func all(_ text: String) -> [String?] { Array(repeating: text, count: 3) }

  @Test func `is told to all that follow it, from the first moment on`() {
    begin()
    let early = (0..<3).map { lobby(at: $0) }
    settle()
    #expect(told(early) == all("0: "))
    let (ann, bob) = (guest("ann", at: 1), guest("bob", at: 2))
    settle()
    let late = (0..<3).map { lobby(at: $0) }
    settle()
    #expect(told(early) == all("2: ann, bob") && told(late) == all("2: ann, bob"))

    bob.send(#"{"input":1,"name":"text","revision":0,"edits":[[0,0,"x"]]}"#)
    settle()
    #expect(told(early) == all("2: ann, bob text"))
    ann.link?.leave()
    settle(.seconds(6))
    #expect(told(early) == all("1: bob") && told(late) == all("1: bob"))
  }

  @Test func `is asked once for each server, and for none that need not know`() {
    begin()
    let lobbies = (0..<20).map { _ in lobby(at: 1) }
    settle()
    let before = network.nodeBytes
    _ = guest("ann", at: 0)
    settle()
    #expect(told(lobbies) == Array(repeating: "1: ann", count: 20))
    #expect(network.nodeBytes - before < 100)

    for lobby in lobbies { lobby.link?.leave() }
    settle(.seconds(3_600))
    // The first one is told that nobody asks any more.
    _ = guest("bob", at: 0)
    settle()
    let bytes = network.nodeBytes
    _ = guest("cid", at: 0)
    settle()
    #expect(network.nodeBytes == bytes)
    let late = lobby(at: 1)
    settle()
    #expect(told([late]) == ["3: ann, bob, cid"])
  }

  @Test func `is asked again when a link is back`() {
    begin()
    let lobbies = (0..<3).map { lobby(at: $0) }
    let ann = guest("ann", at: 0)
    settle()
    network.cutLink(0, 1)
    settle()
    ann.link?.leave()
    _ = guest("bob", at: 0)
    settle()
    #expect(told(lobbies) == ["1: bob", "1: ann", "1: bob"])
    network.openLink(0, 1)
    settle()
    #expect(told(lobbies) == all("1: bob"))
  }

  @Test func `is asked of whoever has the room, however often it moves`() {
    begin()
    let lobbies = (0..<3).map { lobby(at: $0) }
    settle()
    for (round, home) in [1, 2, 0, 2, 1].enumerated() {
      network.take(slot, byNode: home)
      settle()
      #expect(told(lobbies) == all("0: "), "round \(round)")
      let ann = guest("ann", at: (home + 1) % 3)
      settle()
      #expect(told(lobbies) == all("1: ann"), "round \(round)")
      if round % 2 == 0 {
        ann.link?.leave()
        settle()
        #expect(told(lobbies) == all("0: "), "round \(round)")
      }
    }
  }

  @Test func `is not told by a server that had the room before`() {
    begin()
    let lobby = lobby(at: 1)
    settle()
    network.take(slot, byNode: 2)
    settle()
    for (node, text) in [(0, "0: "), (2, "1: late")] {
      var batch = LoopBatch(from: Place.remote(peer: node, loop: slot % 2))
      let late = Presence([Presence.Person(id: "1", visitor: Visitor(id: "l", displayName: "late"))])
      batch.items.append(.presence(RoomKey(screen: "counter", name: "tea", isPrivate: false), late))
      network.nodes[1].gateways[slot % 2].take(batch)
      settle()
      #expect(told([lobby]) == [text])
    }
  }

  @Test func `is known again after the death of the room's server`() {
    begin()
    let lobbies = (0..<3).map { lobby(at: $0) }
    let ann = guest("ann", at: 1)
    settle()
    network.kill(0)
    network.bury(0)
    settle()
    #expect(told(Array(lobbies[1...])) == ["1: ann", "1: ann"], "Nobody knows better.")
    network.take(slot, byNode: 2)
    settle()
    #expect(told(Array(lobbies[1...])) == ["0: ", "0: "])
    network.entrance = 1
    ann.resume(["room": "tea", "edits": "1"])
    settle()
    #expect(told(Array(lobbies[1...])) == ["1: ann", "1: ann"])
    network.startNode(0)
    let late = lobby(at: 0)
    settle()
    #expect(told([late]) == ["1: ann"])
  }

  @Test func `takes no more of a link than the newest, while its socket takes nothing`() {
    begin()
    let lobby = lobby(at: 1)
    settle()
    network.setFlowing(0, to: 1, false)
    let bytes = network.nodeBytes
    for number in 0..<50 {
      let page = guest("visitor\(number)", at: 0)
      settle(.milliseconds(300))
      page.link?.leave()
      settle()
    }
    _ = guest("ann", at: 0)
    settle()
    #expect(network.nodeBytes == bytes)
    network.setFlowing(0, to: 1, true)
    settle()
    #expect(told([lobby]) == ["1: ann"] && network.nodeBytes - bytes < 100)
  }
}
