// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
import MusubiTesting
import MusubiWire
import Observation
import Testing

@Observable private final class Tally {
  var taps: Int
  init(_ taps: Int) { self.taps = taps }
}

/// Two tallies, one of which comes and goes.
@Observable private final class Desk {
  var title: String
  let left: Tally
  var right: Tally?

  init(_ context: ScreenContext) throws {
    title = try context.restored() ?? ""
    left = Tally(try context.component("left").restored() ?? 0)
    right = try context.component("right").restored().map { Tally($0) }
  }

  func toggle() { right = right == nil ? Tally(0) : nil }
}

extension Tally: ObservableViewModel {
  static var bindings: [PageBinding<Tally>] { [.output("taps", \.taps), .action("tap") { $0.taps += 1 }] }
}

extension Tally: Restorable { var state: Int { taps } }

extension Desk: ObservableViewModel {
  static var bindings: [PageBinding<Desk>] {
    [
      .field("title", \.title), .child("left", \.left), .child("right", \.right),
      .action("toggle") { $0.toggle() },
    ]
  }
}

extension Desk: Restorable { var state: String { title } }

/// Parts with a state, in a screen without one.
@Observable private final class Frame {
  let desk: Desk
  init(_ context: ScreenContext) throws { desk = try Desk(context.component("desk")) }
}

extension Frame: ObservableViewModel {
  static var bindings: [PageBinding<Frame>] { [.child("desk", \.desk)] }
}

@Suite(.timeLimit(.minutes(5))) struct `Parts of an observable model, after the server was killed` {
  private let network = SimulatedNetwork(
    seed: 5, store: SimulatedStore(),
    routes: [
      ScreenRoute(name: "frame", scope: .session) { ObservableScreen(try Frame($0), name: "frame") }
    ])

  private func settle() { network.run(until: network.now + .seconds(1)) }

  @Test func `go on where each was, and one that had gone has gone`() {
    let page = RawPage(network, "frame")
    settle()
    for (index, name) in ["deskLeftTap", "deskToggle", "deskRightTap", "deskLeftTap"].enumerated() {
      page.send(#"{"input":\#(index + 1),"name":"\#(name)"}"#)
    }
    page.send(#"{"input":5,"name":"deskTitle","value":"Ann"}"#)
    settle()
    func restart() {
      network.restartServer()
      settle()
      page.resume()
      settle()
    }

    restart()
    #expect(page.last("resumed")?["ack"] == 5)
    page.send(#"{"input":6,"name":"deskRightTap"}"#)
    settle()
    #expect(page.state["deskLeftTaps"] == 2 && page.state["deskRightTaps"] == 2)
    #expect(page.state["deskTitle"] == "Ann")

    page.send(#"{"input":7,"name":"deskToggle"}"#)
    settle()
    restart()
    page.send(#"{"input":8,"name":"deskLeftTap"}"#)
    settle()
    #expect(page.state["deskLeftTaps"] == 3 && page.state["deskRightTaps"] == .null)
  }
}
