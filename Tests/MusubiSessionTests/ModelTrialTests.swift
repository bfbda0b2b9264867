// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// The servers that a command has ended.
private final class Ends {
  weak var network: SimulatedNetwork?
  let slot = RoomKey(screen: "model:trap", name: "main", isPrivate: false).slot
  var servers: [Int] = []

  func endOwner() {
    guard let network, let server = network.owner(of: slot) else { return }
    servers.append(server)
    network.kill(server, byEvent: true)
  }
}

/// A model with a command that ends its server.
private final class Trap: SharedModel, Restorable {
  enum Command: Codable { case add, spring }

  let sum: BehaviorRelay<Int>
  private let ends: Ends

  var state: Int { sum.value }

  init(_ context: ScreenContext, _ ends: Ends) throws {
    sum = BehaviorRelay(value: try context.restored() ?? 0)
    self.ends = ends
  }

  func handle(_ command: Command, from sender: Visitor) async -> Int {
    switch command {
    case .add: sum.accept(sum.value + 1)
    case .spring: ends.endOwner()
    }
    return sum.value
  }
}

private final class TrapScreen: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    var add: Signal<Void> = .never()
    var spring: Signal<Void> = .never()
  }

  struct Outputs: Encodable {
    let sum: Driver<Int>
    let answers: Driver<[String]>
  }

  private let trap: Shared<Trap>
  private let answers: BehaviorRelay<[String]>
  private let bag = DisposeBag()

  var state: [String] { answers.value }

  init(_ context: ScreenContext) throws {
    trap = context.shared(Trap.self, room: "main")
    answers = BehaviorRelay(value: try context.restored() ?? [])
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.add.emit(onNext: { [weak self] in self?.send(.add) }).disposed(by: bag)
    inputs.spring.emit(onNext: { [weak self] in self?.send(.spring) }).disposed(by: bag)
    return Outputs(sum: trap.sum, answers: answers.asDriver())
  }

  private func send(_ command: Trap.Command) {
    trap.send(command).subscribe(
      onSuccess: { [answers] in answers.accept(answers.value + ["\($0)"]) },
      onFailure: { [answers] in answers.accept(answers.value + ["\($0)"]) }
    ).disposed(by: bag)
  }
}

@Suite struct `A command that ends servers of a cluster` {
  private let store = SimulatedStore()
  private let network: SimulatedNetwork
  private let ends = Ends()

  init() {
    let carried = Carried(ends)
    network = SimulatedNetwork(
      seed: 5, nodes: 4, loops: 2, store: store,
      routes: [
        ScreenRoute(name: "trap", scope: .session) { InputOutputScreen(try TrapScreen($0), name: "trap") }
      ],
      models: [.model("trap") { try Trap($0, carried.element) }])
    ends.network = network
  }

  private func settle() { network.run(until: network.now + .seconds(1)) }

  /// A page whose session is on the last server, and its model on the first one.
  private func begin() -> RawPage {
    let slot = ends.slot
    network.takeAll { $0 == slot ? 0 : 3 }
    settle()
    network.entrance = 3
    let page = RawPage(network, "trap")
    settle()
    page.send(#"{"input":1,"name":"add"}"#)
    settle()
    return page
  }

  @Test func `it ends two, no third one is given it, and the model goes on`() {
    let page = begin()
    #expect(page.state["sum"] == 1 && page.state["answers"] == ["1"])
    page.send(#"{"input":2,"name":"spring"}"#)
    settle()
    #expect(ends.servers == [0])

    network.take(ends.slot, byNode: 1)
    settle()
    #expect(ends.servers == [0, 1], "It is run once more.")

    for server in [2, 3] {
      network.take(ends.slot, byNode: server)
      settle()
    }

    #expect(ends.servers == [0, 1], "Two are enough.")
    #expect(page.last("ack") == 2)
    #expect(page.state["answers"]?[1]?.stringValue?.contains("servers have ended") == true)
    page.send(#"{"input":3,"name":"add"}"#)
    settle()
    #expect(page.state["sum"] == 2 && page.state["answers"]?[2] == "2")
  }

  @Test func `one whose home was lost before it came there is carried out, however often that happens`() {
    let page = begin()
    for server in [1, 2] {
      network.kill(server - 1)
      page.send("{\"input\":\(server + 1),\"name\":\"add\"}")
      settle()
      network.take(ends.slot, byNode: server)
      settle()
    }

    #expect(page.last("ack") == 3 && page.state["sum"] == 3)
    #expect(page.state["answers"] == ["1", "2", "3"])
  }
}
