// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Observation
import Testing

@testable import MusubiSession

/// A row with a text, of one list and of another.
@Observable private final class Person: Identifiable {
  let id: Int
  var name: String

  init(_ id: Int, _ name: String) { (self.id, self.name) = (id, name) }
}

/// Who is invited, and who has come.
@Observable private final class Door {
  var invited = [Person(1, "Ann")]
  var here: [Person] = []
}

extension Person: ObservableViewModel {
  static var bindings: [PageBinding<Person>] { [.field("name", \.name)] }
}

extension Door: ObservableViewModel {
  static var bindings: [PageBinding<Door>] {
    [
      .rows("invited", \.invited), .rows("here", \.here),
      .action("come") { $0.here.append(Person(1, "Bob")) },
    ]
  }
}

/// The same with ViewModels.
private final class Booth: InputOutputViewModel {
  final class Voter: InputOutputViewModel, Identifiable {
    struct Inputs: Decodable { var name: Signal<String> = .never() }
    struct Outputs: Encodable { let name: Driver<String> }

    let id: Int
    private let name: String
    init(_ id: Int, _ name: String) { (self.id, self.name) = (id, name) }

    func bind(_ inputs: Inputs) -> Outputs {
      Outputs(name: inputs.name.asDriver(onErrorJustReturn: "").startWith(name))
    }
  }

  struct Inputs: Decodable { var come: Signal<Void> = .never() }
  struct Outputs: Encodable {
    let invited: Driver<[Voter]>
    let here: Driver<[Voter]>
  }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(
      invited: .just([Voter(1, "Ann")]),
      here: inputs.come.map { [Voter(1, "Bob")] }.asDriver(onErrorJustReturn: []).startWith([]))
  }
}

@Suite struct `A text in the row of a model` {
  @Test(arguments: ["door", "booth"])
  func `goes to its own model though another list gets a row of the same id`(_ screen: String) {
    let network = SimulatedNetwork(
      seed: 7,
      routes: [
        ScreenRoute(name: "door", scope: .room) { _ in ObservableScreen(Door(), name: "door") },
        ScreenRoute(name: "booth", scope: .room) { _ in InputOutputScreen(Booth(), name: "booth") },
      ])
    let page = RawPage(network, screen, query: ["edits": "1"])
    for frame in [
      "", #"{"input":1,"name":"name","row":"1","sequence":0,"edits":[[3,0,"a"]]}"#,
      #"{"input":2,"name":"come"}"#,
      #"{"input":3,"name":"name","row":"1","revision":1,"edits":[[4,0,"!"]]}"#,
    ] {
      if !frame.isEmpty { page.send(frame) }
      network.run(until: network.now + .seconds(1))
    }

    #expect(page.last("ack") == 3)
    let late = RawPage(network, screen)
    network.run(until: network.now + .seconds(1))
    #expect(late.state["invited"]?[0]?["name"] == "Anna!")
    #expect(late.state["here"]?[0]?["name"] == "Bob")
  }
}
