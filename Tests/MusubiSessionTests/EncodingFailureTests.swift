// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

private struct Shy: Encodable, Identifiable {
  let id: Int
  let text: String

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if text == "shy" { throw Hidden() }
    try container.encode(text)
  }
}

private struct Hidden: Error {}

private final class ShyViewModel: InputOutputViewModel {
  struct Inputs: Decodable { let text: Signal<String> }
  struct Outputs: Encodable {
    let rows: Driver<[Shy]>
    let length: Driver<Int>
  }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(
      rows: inputs.text.map { [Shy(id: 7, text: $0)] }.asDriver(onErrorJustReturn: []),
      length: inputs.text.map(\.count).asDriver(onErrorJustReturn: 0))
  }
}

@Suite struct `A turn with a value that refuses to be encoded` {
  @Test func `keeps that output, sends the others, and is in the log with screen, name and row`() {
    let network = SimulatedNetwork(
      seed: 3,
      routes: [
        ScreenRoute(name: "shy", scope: .session) { _ in InputOutputScreen(ShyViewModel(), name: "shy") }
      ])
    let page = RawPage(network, "shy")
    network.run(until: .seconds(1))
    page.send(#"{"input":1,"name":"text","value":"loud"}"#)
    network.run(until: .seconds(2))
    #expect(network.failures == [])

    page.send(#"{"input":2,"name":"text","value":"shy"}"#)
    network.run(until: .seconds(3))

    #expect(page.state["rows"] == ["loud"])
    #expect(page.state["length"] == 3)
    #expect(
      network.failures == [
        #"shy: the output "rows" keeps its old value: row 0 with the id "7": Hidden()"#
      ])
  }
}
