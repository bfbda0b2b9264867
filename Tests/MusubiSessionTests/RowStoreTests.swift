// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

@Suite struct `A row's text that is stored` {
  private let store = SimulatedStore()
  private let network: SimulatedNetwork
  private let page: RawPage

  init() {
    network = SimulatedNetwork(seed: 3, store: store, routes: [.rows(.noDigits)])
    page = RawPage(network, "rows", query: ["edits": "1"])
    network.run(until: .seconds(1))
  }

  private func settle() { network.run(until: network.now + .seconds(1)) }

  private func send(_ frame: String) {
    page.send(frame)
    settle()
  }

  private var token: String { page.token }

  @Test func `survives the server's end with its revision, as a field does`() throws {
    send(#"{"input":1,"name":"title","row":"1","sequence":0,"edits":[[3,0,"7"]]}"#)
    send(#"{"input":2,"name":"title","row":"1","revision":1,"edits":[[4,0,"8"]]}"#)
    send(#"{"input":3,"name":"title","row":"2","sequence":2,"edits":[[0,0,"x"]]}"#)
    let stored = try #require(store.storedRooms.first)
    #expect(stored.texts.map(\.name).sorted() == ["/rows/1/title", "/rows/2/title"])
    let token = token

    network.restartServer()
    settle()
    page.resume(["edits": "1"], token: token)
    settle()
    let resumed = page.frames.count

    #expect(page.last("resumed")?["turns"] == 0)
    let late = RawPage(network, "rows", query: ["edits": "1"])
    settle()
    let row = late.last("snapshot")?["rows"]?[0]
    #expect(row?["title.field"] == "one78" && row?["title"] == "one")
    #expect(late.values.last?["revisions"] == ["/rows/1/title": 2, "/rows/2/title": 1])
    send(#"{"input":4,"name":"title","row":"1","revision":2,"edits":[[0,0,"9"]]}"#)
    #expect(page.values[resumed...].first == ["ack": 4, "revision": 3])
  }

  /// The store is away for minutes with a commit under way; meanwhile somebody types and stops, and the text
  /// comes to rest.
  @Test func `is stored though it has come to rest behind a commit that was under way`() throws {
    let network = SimulatedNetwork(seed: 3, store: store, routes: [.rows(.keep)])
    let page = RawPage(network, "rows", query: ["edits": "1"])
    func run(_ time: Duration) { network.run(until: network.now + time) }
    run(.seconds(1))
    page.send(#"{"input":1,"name":"title","row":"1","sequence":0,"edits":[[3,0,"a"]]}"#)
    run(.seconds(1))
    store.delay = .seconds(200)
    page.send(#"{"input":2,"name":"title","row":"1","revision":1,"edits":[[4,0,"b"]]}"#)
    run(.seconds(1))
    page.send(#"{"input":3,"name":"title","row":"1","revision":2,"edits":[[5,0,"c"]]}"#)
    run(.seconds(190))
    store.delay = .milliseconds(1)
    run(.seconds(20))

    #expect(page.last("ack") == 3)
    let stored = try #require(store.storedRooms.first)
    #expect(stored.texts == [StoredRoom.Text(name: "/rows/1/title", text: "oneabc", revision: 3)])
    #expect(store.misfits == [])
    network.restartServer()
    let late = RawPage(network, "rows", query: ["edits": "1"])
    run(.seconds(1))
    #expect(late.last("snapshot")?["rows"]?[0]?["title"] == "oneabc")
    let field = late.last("snapshot")?["rows"]?[0]?["title.field"]
    #expect(field == nil || field == "oneabc")
  }

  @Test func `ends for good with its row, and no revision comes again`() {
    send(#"{"input":1,"name":"title","row":"3","sequence":0,"edits":[[0,0,"x"]]}"#)
    send(#"{"input":2,"name":"title","row":"3","revision":1,"edits":[[0,0,"x"]]}"#)
    send(#"{"input":3,"name":"removeLast"}"#)
    #expect(store.storedRooms[0].texts.isEmpty && store.storedRooms[0].nextRowRevision == 3)
    let token = token

    network.restartServer()
    settle()
    page.resume(["edits": "1"], token: token)
    settle()
    send(#"{"input":4,"name":"addThree"}"#)
    let sequence = page.position[1]
    send(
      #"{"input":5,"name":"title","row":"3","sequence":\#(sequence.intValue ?? 0),"edits":[[0,0,"z"]]}"#)

    #expect(page.values.last?["edits"]?["/rows/3/title"]?["revision"] == 4)
  }
}
