// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

@Suite struct `A refusal that was lost` {
  @Test func `is told again after the resume, until an edit shows that the page knows`() {
    var configuration = SessionConfiguration()
    configuration.maxTextBytes = 4
    let network = SimulatedNetwork(seed: 5, configuration: configuration, routes: [.number])
    let page = RawPage(network, "number", query: ["edits": "1"])
    func settle() { network.run(until: network.now + .seconds(1)) }
    settle()
    page.send(#"{"input":1,"name":"number","revision":0,"edits":[[1,0,"long"]]}"#)
    settle()
    page.link?.drop()
    settle()
    let told = page.values.count

    page.resume(["edits": "1"], position: ["", 0])
    settle()
    let kinds = page.values.dropFirst(told).map { value in
      ["resumed", "error", "snapshot"].first { value[$0] != nil } ?? ""
    }
    page.send(#"{"input":2,"name":"number","revision":1,"edits":[[1,0,"1"]]}"#)
    settle()
    page.link?.drop()
    settle()
    page.resume(["edits": "1"], position: ["", 0])
    settle()

    #expect(kinds == ["resumed", "error", "snapshot"])
    #expect(page.values.compactMap { $0["error"]?["input"] } == [1, 1])
  }
}
