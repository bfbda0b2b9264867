// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

@Suite struct `An input` {
  private let network: SimulatedNetwork
  private let page: RawPage

  init() {
    network = SimulatedNetwork(seed: 1, routes: [.number])
    page = RawPage(network, "number")
    network.run(until: .seconds(1))
    page.clear()
  }

  private func settle() { network.run(until: network.now + .seconds(1)) }

  @Test func `is answered ahead of its turn`() {
    page.send(#"{"input":1,"name":"roll"}"#)

    settle()

    #expect(page.values.map { $0["ack"] } == [1, nil])
    #expect(page.values.map { $0["sequence"] } == [nil, 1])
  }

  @Test func `takes effect once, however often it is sent`() {
    for _ in 0..<3 { page.send(#"{"input":1,"name":"roll"}"#) }

    settle()

    #expect(page.state == .null)
    #expect(page.values.compactMap { $0["sequence"] } == [1])
    #expect(page.last("ack") == 1)
  }

  @Test(arguments: [
    (#"{"input":1,"name":"rol"}"#, "unknown-input"),
    (#"{"input":1,"name":"roll","value":3}"#, "wrong-type"),
    (#"{"input":1,"name":"number"}"#, "wrong-type"),
    (#"{"input":1,"name":"number","value":7}"#, "wrong-type"),
    (#"{"input":1,"name":"roll","revision":0,"edits":[[0,0,"x"]]}"#, "wrong-type"),
    (#"{"input":1,"name":"nothing","revision":0,"edits":[[0,0,"x"]]}"#, "unknown-input"),
  ])
  func `that the screen does not take is refused, acknowledged, and changes nothing`(
    frame: String, code: String
  ) {
    page.send(frame)
    page.send(#"{"input":2,"name":"roll"}"#)

    settle()

    #expect(page.values.first?["error"]?["code"]?.stringValue == code)
    #expect(page.values.first?["error"]?["input"] == 1)
    #expect(page.last("ack") == 2)
    #expect(page.values.compactMap { $0["sequence"] } == [1])
    #expect(page.isUp)
  }

  @Test(arguments: [
    (#"{"nonsense":1}"#, "unknown-input"),
    (#"[]"#, "malformed"),
    (#"{"input":"#, "malformed"),
    (#"{"input":"one","name":"roll"}"#, "malformed"),
    (#"{"input":1,"name":"number","revision":0,"edits":[[5,0,"x"]]}"#, "malformed"),
    (#"{"input":1,"name":"number","revision":9,"edits":[[0,0,"x"]]}"#, "malformed"),
    (#"{"input":1,"screen":4,"name":"roll"}"#, "malformed"),
    (#"{"resume":{"session":"a","token":"b","position":["c",0]}}"#, "malformed"),
  ])
  func `that breaks the protocol ends the connection with an explanation`(frame: String, code: String) {
    page.send(frame)
    page.send(#"{"input":1,"name":"roll"}"#)

    settle()

    #expect(page.values.map { $0["error"]?["code"]?.stringValue } == [code])
    #expect(page.closeCode == 4501)
  }

  @Test func `over the text limit is refused and leaves the text`() {
    let long = String(repeating: "x", count: 300_000)

    page.send(#"{"input":1,"name":"number","value":"\#(long)"}"#)
    page.send(#"{"input":2,"name":"number","revision":0,"edits":[[0,0,"\#(long)"]]}"#)
    settle()

    #expect(page.values.compactMap { $0["error"]?["code"]?.stringValue } == ["too-large", "too-large"])
    #expect(page.last("ack") == 2)
  }

  @Test func `of text that is not UTF-8 ends the connection with 1007`() {
    page.link?.send([0x7b, 0x22, 0xff, 0x22, 0x7d])

    settle()

    #expect(page.closeCode == 1007)
  }

  @Test func `ping is answered by pong`() {
    page.send(#"{"ping":5}"#)

    settle()

    #expect(page.frames == [#"{"pong":5}"#])
  }
}
