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
  private let network = SimulatedNetwork(
    seed: 7,
    routes: [
      ScreenRoute(name: "door", scope: .room) { _ in ObservableScreen(Door(), name: "door") },
      ScreenRoute(name: "booth", scope: .room) { _ in InputOutputScreen(Booth(), name: "booth") },
    ])

  private func settle() { network.run(until: network.now + .seconds(1)) }

  /// A page on which somebody has typed "Anna" over "Ann", before another list got a row of the same id.
  private func typed(_ screen: String) -> RawPage {
    let page = RawPage(network, screen, query: ["edits": "1"])
    settle()
    page.send(#"{"input":1,"name":"name","row":"1","sequence":0,"edits":[[3,0,"a"]]}"#)
    settle()
    page.send(#"{"input":2,"name":"come"}"#)
    settle()
    return page
  }

  private func shows(_ screen: String, invited: String, here: String) -> Bool {
    let late = RawPage(network, screen)
    settle()
    return late.state["invited"]?[0]?["name"] == .string(invited)
      && late.state["here"]?[0]?["name"] == .string(here)
  }

  @Test(arguments: ["door", "booth"])
  func `goes to its own model though another list gets a row of the same id`(_ screen: String) {
    let page = typed(screen)
    page.send(#"{"input":3,"name":"name","row":"1","revision":1,"edits":[[4,0,"!"]]}"#)
    settle()

    #expect(page.last("ack") == 3)
    #expect(shows(screen, invited: "Anna!", here: "Bob"))
  }

  @Test(arguments: ["door", "booth"])
  func `is refused if nobody knows which of two rows is meant`(_ screen: String) throws {
    let page = typed(screen)
    let other = RawPage(network, screen)
    settle()
    other.send(#"{"input":1,"name":"name","row":"1","value":"Eve"}"#)
    let sequence = try #require(page.last("sequence")?.intValue)
    page.send(#"{"input":3,"name":"name","row":"1","sequence":\#(sequence),"edits":[[3,0,"by"]]}"#)
    settle()

    for page in [page, other] {
      #expect(page.values.compactMap { $0["error"]?["code"]?.stringValue } == ["wrong-type"])
      #expect(page.closeCode == nil)
    }
    #expect(shows(screen, invited: "Anna", here: "Bob"))
  }
}
