// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
import MusubiTesting
import MusubiWire
import Observation
import Testing

private struct Question: Encodable {
  let id: Int
  let title: String
}

/// A list of one row that can be opened, and asks before it deletes: as a model of SwiftUI's.
@Observable private final class Things {
  struct Thing: Codable, Identifiable { let id: Int }

  private(set) var things = [Thing(id: 4)]
  var detail: Detail?
  var question: Question?

  func open(_ id: Int) { detail = Detail(id: id) }
  func askDelete(_ id: Int) { question = Question(id: id, title: "Delete \(id)?") }
  func delete(_ id: Int) { things.removeAll { $0.id == id } }
}

/// Counts taps on one thing.
@Observable private final class Detail {
  let id: Int
  var count = 0
  init(id: Int) { self.id = id }
}

extension Things: ObservableViewModel {
  static var bindings: [PageBinding<Things>] {
    [
      .output("things", \.things), .destination("detail", \.detail), .dialog("askDelete", \.question),
      .action("open") { (model, id: Int) in model.open(id) },
      .action("delete") { (model, id: Int) in model.askDelete(id) },
      .action("confirmDelete") { (model, id: Int) in model.delete(id) },
    ]
  }
}

extension Detail: ObservableViewModel {
  static var bindings: [PageBinding<Detail>] {
    [.output("count", \.count), .action("tap") { $0.count += 1 }]
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A stack of screens of observable models` {
  private func network(_ scope: Scope, store: SimulatedStore? = nil) -> SimulatedNetwork {
    SimulatedNetwork(
      seed: 7, store: store,
      routes: [
        ScreenRoute(name: "things", scope: scope) { _ in ObservableScreen(Things(), name: "things") },
        ScreenRoute(
          name: "detail", scope: .session, path: "/things/<id>", type: ObjectIdentifier(Detail.self),
          address: { "/things/\(($0 as? Detail)?.id ?? 0)" },
          make: { _ in ObservableScreen(Detail(id: 4), name: "detail") }),
      ])
  }

  private func settle(_ network: SimulatedNetwork) { network.run(until: network.now + .seconds(1)) }

  @Test func `grows when a property holds another model, and shrinks when the visitor goes back`() {
    let network = network(.session)
    let page = RawPage(network, "things")
    settle(network)
    page.send(#"{"input":1,"name":"open","row":"4"}"#)
    settle(network)
    page.send(#"{"input":2,"screen":1,"name":"tap"}"#)
    settle(network)

    #expect(
      page.last("screens") == [
        ["screen": 0, "name": "things", "path": "/things"],
        ["screen": 1, "name": "detail", "path": "/things/4"],
      ])
    #expect(page.values.contains { $0["screen"] == 1 && $0["patch"]?[0]?["value"] == 1 })

    page.send(#"{"input":3,"back":1}"#)
    page.send(#"{"input":4,"name":"open","row":"4"}"#)
    settle(network)
    #expect(page.last("screens")?[1]?["screen"] == 2, "It opens again.")
  }

  @Test func `asks until there is an answer, also after a reload`() {
    let network = network(.session)
    let page = RawPage(network, "things")
    settle(network)
    page.send(#"{"input":1,"name":"delete","row":"4"}"#)
    settle(network)
    let dialog: Value = ["name": "askDelete", "value": ["id": 4, "title": "Delete 4?"]]
    #expect(page.last("screens")?[0]?["dialog"] == dialog)

    page.link?.drop()
    settle(network)
    page.clear()
    page.resume(session: page.session, token: page.token)
    settle(network)

    page.send(#"{"input":2,"name":"confirmDelete","row":"4"}"#)
    page.send(#"{"input":3,"dismiss":"askDelete","screen":0}"#)
    settle(network)
    #expect(page.last("screens")?[0]?["dialog"] == nil)
  }

  @Test func `in a shared room moves only the page whose input caused it`() {
    let network = network(.room)
    let (ann, bob) = (RawPage(network, "things"), RawPage(network, "things"))
    settle(network)
    ann.send(#"{"input":1,"name":"delete","row":"4"}"#)
    settle(network)
    bob.send(#"{"input":1,"name":"delete","row":"4"}"#)
    bob.send(#"{"input":2,"name":"open","row":"4"}"#)
    settle(network)

    #expect(ann.last("screens")?.arrayValue?.count == 1)
    #expect(ann.last("screens")?[0]?["dialog"]?["name"] == "askDelete")
    #expect(bob.last("screens")?.arrayValue?.count == 2)
    #expect(bob.last("screens")?[0]?["dialog"]?["name"] == "askDelete")

    ann.send(#"{"input":2,"name":"confirmDelete","row":"4"}"#)
    settle(network)
    #expect(ann.state["things"] == [])
    #expect(bob.values.contains { $0["patch"]?[0]?["path"] == "/things/0" && $0["screen"] == nil })
  }
}
