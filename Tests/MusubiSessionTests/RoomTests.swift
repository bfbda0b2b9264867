// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

@Suite struct `A room` {
  private let network = SimulatedNetwork(seed: 1, routes: [.number, .alone, .patient, .presence])

  private func settle() { network.run(until: network.now + .seconds(1)) }

  @Test func `greets a page with hello and the whole state`() {
    let page = RawPage(network, "number")

    settle()

    #expect(page.frames.count == 2)
    #expect(page.last("hello")?["protocol"] == 1)
    #expect(page.last("snapshot") == ["label": "0", "number": "0", "number.field": "0"])
    #expect(page.values.last?["sequence"] == 0)
    #expect(page.values.last?["revisions"] == ["number": 0])
  }

  @Test func `sends every page the same bytes`() {
    let one = RawPage(network, "number")
    let other = RawPage(network, "number")
    settle()
    one.clear()
    other.clear()

    one.send(#"{"input":1,"name":"roll"}"#)
    settle()

    #expect(one.frames == [#"{"ack":1}"#] + other.frames)
    #expect(other.frames.count == 1)
    #expect(other.values[0]["sequence"] == 1)
  }

  @Test func `shows a page that comes later the present state`() {
    let early = RawPage(network, "number")
    settle()
    early.send(#"{"input":1,"name":"number","value":"42"}"#)
    early.send(#"{"input":2,"name":"number","value":""}"#)
    settle()

    let late = RawPage(network, "number")
    settle()

    #expect(late.last("snapshot") == ["label": "42", "number": "42", "number.field": ""])
    #expect(early.state == late.state)
  }

  @Test func `sets the field by any emission, even one equal to the last`() {
    let page = RawPage(network, "number")
    settle()
    page.send(#"{"input":1,"name":"roll"}"#)
    page.send(#"{"input":2,"name":"number","value":""}"#)
    settle()
    #expect(page.state["number.field"] == "")

    // The view's second emission is "2"; then an emission of "2" again meets an emptied field.
    page.send(#"{"input":3,"name":"roll"}"#)
    page.send(#"{"input":4,"name":"number","value":""}"#)
    page.send(#"{"input":5,"name":"number","value":"2"}"#)
    settle()

    #expect(page.state == ["label": "2", "number": "2", "number.field": "2"])
  }

  @Test func `is apart from other rooms, and from those of the session scope`() {
    let lobby = RawPage(network, "number")
    let attic = RawPage(network, "number", query: ["room": "attic"])
    let one = RawPage(network, "alone", query: ["room": "attic"])
    let other = RawPage(network, "alone", query: ["room": "attic"])
    settle()

    lobby.send(#"{"input":1,"name":"number","value":"7"}"#)
    one.send(#"{"input":1,"name":"number","value":"8"}"#)
    settle()

    #expect([lobby, attic, one, other].map { $0.state["label"] } == ["7", "0", "8", "0"])
  }

  @Test func `runs its timers as turns`() {
    let page = RawPage(network, "patient")
    settle()
    page.send(#"{"input":1,"name":"text","value":"later"}"#)

    network.run(until: network.now + .milliseconds(500))
    #expect(page.state["label"] != "later")
    network.run(until: network.now + .seconds(1))

    #expect(page.state["label"] == "later")
  }

  @Test func `tells the view of each page that comes and goes`() {
    let one = RawPage(network, "presence")
    let other = RawPage(network, "presence")
    settle()
    #expect(one.state["pages"] == "2")

    other.link?.drop()
    network.run(until: network.now + .seconds(700))

    #expect(one.state["pages"] == "1")
  }
}
