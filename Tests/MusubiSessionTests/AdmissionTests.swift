// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
import MusubiTesting
import Synchronization
import Testing

@Suite struct `Admission to a screen` {
  @Test func `asks once who the visitor is, and tells the screen`() {
    let asked = Mutex(0)
    let identities = Mutex<[String?]>([])
    let route = ScreenRoute(name: "plain", scope: .session) { context in
      identities.withLock { $0.append(context.visitor.id) }
      return View()
    }
    let hub = SessionLoop(
      routes: [route], configuration: SessionConfiguration(),
      environment: LoopEnvironment(
        clock: { .zero }, wallClock: { 0 }, entropy: { Array(repeating: 7, count: $0) },
        sha256: testHash,
        authorize: { request in
          let number = asked.withLock {
            $0 += 1
            return $0
          }
          return Visitor(id: "\(request.query["name"] ?? "") \(number)")
        }))

    let wire = Wire()
    hub.admit(ConnectionRequest(screen: "plain", query: ["name": "Ann"])) { admission in
      guard case .accepted(let request) = admission else { return }
      wire.handler = hub.connect(request, wire)
    }

    #expect(asked.withLock { $0 } == 1)
    #expect(identities.withLock { $0 } == ["Ann 1"])
  }

  @Test func `tells a room from which network it was made, whoever says to have come`() {
    let networks = Mutex<[String?]>([])
    let route = ScreenRoute(name: "plain", scope: .room(default: "lobby")) { context in
      networks.withLock { $0.append(context.network) }
      return View()
    }
    let network = SimulatedNetwork(
      seed: 1, routes: [route], authorize: { Visitor(id: $0.headers["cookie"]) })
    let site: [Peer] = [.address("2001:db8:1:2::/64"), .network("2001:db8:1::/48")]
    let pages = [
      RawPage(network, "plain", query: ["room": "a"], as: "ann", from: site),
      RawPage(network, "plain", query: ["room": "b"], from: [.address("192.0.2.1")]),
      RawPage(network, "plain", query: ["room": "c"], as: "ann"),
    ]
    network.run(until: .seconds(1))

    #expect(pages.count == 3)
    #expect(Set(networks.withLock { $0 }) == ["2001:db8:1::/48", "192.0.2.1", nil])
  }

  private final class Wire: ConnectionHandle {
    var handler: (any ConnectionHandler)?

    func wake() {}
    func close(_ end: ConnectionEnd) {}
    func setReading(_ isReading: Bool) {}
  }
}
