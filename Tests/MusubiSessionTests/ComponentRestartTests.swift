// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

/// Counts taps, and how often its page has appeared.
private final class Tally: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    var viewDidAppear: Signal<Void> = .never()
    var tap: Signal<Void> = .never()
  }

  struct Outputs: Encodable {
    let taps: Driver<Int>
    let views: Driver<Int>
  }

  struct State: Codable {
    var taps = 0
    var views = 0
  }

  private let relay: BehaviorRelay<State>
  private let bag = DisposeBag()
  var state: State { relay.value }

  init(_ context: ScreenContext) throws { relay = BehaviorRelay(value: try context.restored() ?? State()) }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.tap.emit(onNext: { [unowned self] in change { $0.taps += 1 } }).disposed(by: bag)
    inputs.viewDidAppear.emit(onNext: { [unowned self] in change { $0.views += 1 } }).disposed(by: bag)
    return Outputs(taps: relay.asDriver().map(\.taps), views: relay.asDriver().map(\.views))
  }

  private func change(_ body: (inout State) -> Void) {
    var state = relay.value
    body(&state)
    relay.accept(state)
  }
}

/// Two tallies, of the same type under two names.
private final class Tallies: InputOutputViewModel {
  struct Inputs: Decodable {
    let left: Tally.Inputs
    let right: Tally.Inputs
  }

  struct Outputs: Encodable {
    let left: Tally.Outputs
    let right: Tally.Outputs
  }

  private let left: Tally
  private let right: Tally

  init(_ context: ScreenContext) throws {
    left = try Tally(context.component("left"))
    right = try Tally(context.component("right"))
  }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(left: left.bind(inputs.left), right: right.bind(inputs.right))
  }
}

/// Tallies inside of a screen with a state of its own.
private final class Desk: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    var name: Signal<String> = .never()
    let tallies: Tallies.Inputs
  }

  struct Outputs: Encodable {
    let title: Driver<String>
    let tallies: Tallies.Outputs
  }

  private let title: BehaviorRelay<String>
  private let tallies: Tallies
  private let bag = DisposeBag()
  var state: String { title.value }

  init(_ context: ScreenContext) throws {
    title = BehaviorRelay(value: try context.restored() ?? "")
    tallies = try Tallies(context.component("tallies"))
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.name.emit(onNext: { [title] in title.accept($0) }).disposed(by: bag)
    return Outputs(title: title.asDriver(), tallies: tallies.bind(inputs.tallies))
  }
}

@Suite(.timeLimit(.minutes(5))) struct `Components of a screen, after the server was killed` {
  private let network: SimulatedNetwork

  init() {
    network = SimulatedNetwork(
      seed: 5, store: SimulatedStore(),
      routes: [
        ScreenRoute(name: "tallies", scope: .session) {
          InputOutputScreen(try Tallies($0), name: "tallies")
        },
        ScreenRoute(name: "desk", scope: .room(default: "lobby")) {
          InputOutputScreen(try Desk($0), name: "desk")
        },
      ])
  }

  private func settle() { network.run(until: network.now + .seconds(1)) }

  @Test func `go on where each was, though their screen has no state of its own`() {
    let page = RawPage(network, "tallies")
    settle()
    for (index, name) in ["leftTap", "rightTap", "leftTap"].enumerated() {
      page.send(#"{"input":\#(index + 1),"name":"\#(name)"}"#)
    }
    settle()
    #expect(page.state["leftTaps"] == 2 && page.state["rightTaps"] == 1)

    network.restartServer()
    settle()
    page.resume()
    settle()
    page.send(#"{"input":4,"name":"rightTap"}"#)
    settle()

    #expect(page.last("resumed")?["ack"] == 3)
    #expect(page.state["leftTaps"] == 2 && page.state["rightTaps"] == 2)
  }

  @Test func `go on inside of components, beside a state around them, and hear of pages`() {
    let page = RawPage(network, "desk")
    settle()
    page.send(#"{"input":1,"name":"talliesRightTap"}"#)
    page.send(#"{"input":2,"name":"name","value":"Ann"}"#)
    page.send(#"{"input":3,"name":"talliesLeftViewDidAppear"}"#)
    settle()
    #expect(page.last("error")?["code"] == "unknown-input")
    #expect(page.state["talliesLeftViews"] == 1 && page.state["talliesRightViews"] == 1)

    network.restartServer()
    settle()
    page.resume()
    settle()
    let other = RawPage(network, "desk")
    settle()

    #expect(other.state["title"] == "Ann" && other.state["talliesRightTaps"] == 1)
    #expect(other.state["talliesLeftTaps"] == 0)
    #expect(other.state["talliesLeftViews"] == other.state["talliesRightViews"])
    #expect((other.state["talliesLeftViews"]?.intValue ?? 0) >= 2, "The other page has appeared, too.")
  }
}
