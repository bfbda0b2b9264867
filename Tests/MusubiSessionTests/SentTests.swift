// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// Tells at once who sent something, and a second later again.
private final class RollCallViewModel: InputOutputViewModel {
  struct Inputs: Decodable {
    var tap: Signal<Sent<Void>> = .never()
    var say: Signal<Sent<String>> = .never()
  }

  struct Outputs: Encodable {
    let now: Driver<[String]>
    let later: Driver<[String]>
    let rested: Driver<[String]>
    let acting: Driver<[String]>
  }

  private let context: ScreenContext

  init(_ context: ScreenContext) { self.context = context }

  func bind(_ inputs: Inputs) -> Outputs {
    let sent = Signal.merge(inputs.tap.map { Sent("tap", by: $0.sender) }, inputs.say)
    let delayed = sent.delay(.seconds(1))
    return Outputs(
      now: names(sent.map(\.sender)), later: names(delayed.map(\.sender)),
      rested: names(inputs.say.debounce(.seconds(1)).map(\.sender)),
      acting: names(delayed.map { [context] _ in context.visitor }))
  }

  private func names(_ visitors: Signal<Visitor>) -> Driver<[String]> {
    visitors.map { ([$0.id ?? "nobody"] + $0.roles.map(\.rawValue).sorted()).joined(separator: " ") }
      .scan([]) { $0 + [$1] }.asDriver(onErrorJustReturn: [])
  }
}

extension ScreenRoute {
  fileprivate static func rollCall(_ name: String, _ scope: Scope) -> ScreenRoute {
    ScreenRoute(name: name, scope: scope) { InputOutputScreen(RollCallViewModel($0), name: name) }
  }
}

@Suite(.timeLimit(.minutes(5))) struct `The sender of an input` {
  private static func network(loops: Int) -> SimulatedNetwork {
    let door = Doorkeeper()
    return SimulatedNetwork(
      seed: 5, loops: loops, routes: [.rollCall("room", .room), .rollCall("own", .session)],
      authorize: { try door.visitor(of: $0) })
  }

  private static func settle(_ network: SimulatedNetwork, _ milliseconds: Int = 500) {
    network.run(until: network.now + .milliseconds(milliseconds))
  }

  @Test(arguments: [1, 3]) func `is still right when somebody else acts`(_ loops: Int) {
    let network = Self.network(loops: loops)
    let ann = RawPage(network, "room", as: "ann host")
    let bob = RawPage(network, "room", as: "bob")
    Self.settle(network)

    ann.send(#"{"input":1,"name":"tap"}"#)
    Self.settle(network, 100)
    bob.send(#"{"input":1,"name":"say","value":"hello"}"#)
    Self.settle(network, 3_000)

    #expect(bob.state["now"] == ["ann host", "bob"])
    #expect(bob.state["later"] == ["ann host", "bob"])
    // A timer is work of the input that has started it.
    #expect(bob.state["acting"] == bob.state["now"])
    #expect(ann.state == bob.state)
  }

  @Test(arguments: [1, 3]) func `is still right behind a debounce, while somebody else acts`(_ loops: Int) {
    let network = Self.network(loops: loops)
    let ann = RawPage(network, "room", as: "ann host")
    let bob = RawPage(network, "room", as: "bob")
    Self.settle(network)

    ann.send(#"{"input":1,"name":"say","value":"h"}"#)
    Self.settle(network, 100)
    ann.send(#"{"input":2,"name":"say","value":"hello"}"#)
    Self.settle(network, 100)
    bob.send(#"{"input":1,"name":"tap"}"#)
    Self.settle(network, 3_000)

    #expect(bob.state["now"] == ["ann host", "ann host", "bob"])
    #expect(bob.state["rested"] == ["ann host"])
  }

  @Test func `has the roles of the newest handshake`() {
    let network = Self.network(loops: 1)
    let page = RawPage(network, "own", as: "ann read")
    Self.settle(network)
    page.send(#"{"input":1,"name":"tap"}"#)
    Self.settle(network)
    page.link?.drop()
    Self.settle(network)
    page.visitor = "ann write"
    page.resume()
    page.send(#"{"input":2,"name":"tap"}"#)
    Self.settle(network, 3_000)

    #expect(page.state["now"] == ["ann read", "ann write"])
    #expect(page.state["later"] == ["ann read", "ann write"])
  }
}
