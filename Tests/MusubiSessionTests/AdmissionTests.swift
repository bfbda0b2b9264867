// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
import Synchronization
import Testing

@Suite struct `Admission to a screen` {
  @Test func `asks once who the visitor is, and tells the screen`() {
    let asked = Mutex(0)
    let identities = Mutex<[String?]>([])
    let route = ScreenRoute(name: "plain", scope: .session) { context in
      identities.withLock { $0.append(context.visitor.identity) }
      return View()
    }
    let wires = Wires()
    let hub = Hub(
      routes: [route], configuration: SessionConfiguration(),
      environment: HubEnvironment(
        clock: { .zero }, wallClock: { 0 }, entropy: { Array(repeating: 7, count: $0) },
        authorize: { request in
          let number = asked.withLock {
            $0 += 1
            return $0
          }
          return Visitor(identity: "\(request.query["name"] ?? "") \(number)")
        }),
      transport: wires)
    var request = ConnectionRequest(screen: "plain", query: ["name": "Ann"])

    #expect(hub.admission(of: &request) == .accepted)
    // The hub does not hold its transport.
    withExtendedLifetime(wires) { hub.connect(ConnectionID(1), request) }

    #expect(asked.withLock { $0 } == 1)
    #expect(identities.withLock { $0 } == ["Ann 1"])
  }

  private final class Wires: Transport {
    func wake(_ connection: ConnectionID) {}
    func close(_ connection: ConnectionID, _ reason: ConnectionEnd) {}
    func setReading(_ connection: ConnectionID, _ isReading: Bool) {}
  }
}
