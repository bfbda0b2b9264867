// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

@Suite struct `An effect outside` {
  private let store = SimulatedStore()
  private let outside = Outside()

  private func network(store: SimulatedStore?) -> SimulatedNetwork {
    SimulatedNetwork(seed: 4, store: store, routes: [.counter(outside)])
  }

  @Test(arguments: [true, false]) func `holds the acknowledgement of its input and of later ones, which run`(
    isStored: Bool
  ) {
    let network = network(store: isStored ? store : nil)
    func settle() { network.run(until: network.now + .seconds(1)) }
    let page = RawPage(network, "counter")
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
    page.send(#"{"input":2,"name":"ask"}"#)
    page.send(#"{"input":3,"name":"tap"}"#)
    settle()
    #expect(page.state["sum"] == "2")
    #expect(page.last("ack") == 1)
    #expect(outside.open.map(\.key) == ["\(page.session)/2"])

    outside.happen()
    network.schedule(network.now) { [outside] in outside.tell() }
    settle()

    #expect(page.last("ack") == 3)
  }

  @Test(arguments: [true, false]) func `happens once although the server is killed before it is told`(
    hasHappened: Bool
  ) {
    let network = network(store: store)
    func settle() { network.run(until: network.now + .seconds(1)) }
    let page = RawPage(network, "counter")
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
    page.send(#"{"input":2,"name":"ask"}"#)
    page.send(#"{"input":3,"name":"tap"}"#)
    settle()
    if hasHappened { outside.happen() }

    network.restartServer()
    settle()
    page.resume()
    settle()
    #expect(page.last("resumed")?["ack"] == 1)
    #expect(page.state["sum"] == "1")
    page.send(#"{"input":2,"name":"ask"}"#)
    page.send(#"{"input":3,"name":"tap"}"#)
    settle()
    outside.happen()
    network.schedule(network.now) { [outside] in outside.tell() }
    settle()

    #expect(outside.posts == ["\(page.session)/2"])
    #expect(page.state["sum"] == "2")
    #expect(page.last("ack") == 3)
  }

  @Test func `has a key of its own, also if its input begins several, and the same again after a kill`() {
    let network = network(store: store)
    func settle() { network.run(until: network.now + .seconds(1)) }
    let page = RawPage(network, "counter")
    settle()
    for _ in 0..<2 {
      page.send(#"{"input":1,"name":"askTwice"}"#)
      page.send(#"{"input":2,"name":"askTwice"}"#)
      settle()
      #expect(outside.open.map(\.key) == ["/1", "/1/2", "/2", "/2/2"].map { page.session + $0 })
      outside.happen()
      outside.crash()
      network.restartServer()
      settle()
      page.resume()
      settle()
    }

    #expect(outside.posts.count == 4)
  }

  @Test func `that hangs is waited for no longer than it may take`() {
    let network = network(store: store)
    let page = RawPage(network, "counter")
    network.run(until: .seconds(1))
    page.send(#"{"input":1,"name":"ask"}"#)

    network.run(until: .seconds(29))
    #expect(page.last("ack") == nil)
    network.run(until: .seconds(40))

    #expect(page.last("ack") == 1)
    outside.tell()
  }
}
