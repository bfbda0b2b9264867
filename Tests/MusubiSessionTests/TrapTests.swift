// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

@Suite struct `An event that ends a stored server` {
  private let store: SimulatedStore
  private let network: SimulatedNetwork

  init() {
    let store = SimulatedStore()
    self.store = store
    network = SimulatedNetwork(seed: 3, store: store, routes: ScreenRoute.traps(store))
  }

  private func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

  private func open(_ screen: String = "trap", query: [String: String] = [:]) -> RawPage {
    let page = RawPage(network, screen, query: query)
    settle()
    return page
  }

  /// The server is started again, and the page comes back and sends unacknowledged inputs.
  private func restart(_ page: RawPage, query: [String: String] = [:], sending frames: [String] = []) {
    network.restartServer()
    settle()
    page.mark()
    page.resume(query)
    settle()
    for frame in frames { page.send(frame) }
    settle()
  }

  private func ack(_ page: RawPage) -> Value? { page.new.compactMap { $0["ack"] }.last }

  private func errors(_ page: RawPage) -> [String] {
    page.new.compactMap { $0["error"] }.map { error in
      "\(error["input"]?.description ?? "-") \(error["code"]?.stringValue ?? "")"
    }
  }

  @Test func `is run again once, and refused from the second time on if it is an input`() {
    let page = open()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
    let frames = [#"{"input":2,"name":"deadly"}"#, #"{"input":3,"name":"tap"}"#]
    for frame in frames { page.send(frame) }
    settle()

    restart(page, sending: frames)
    #expect(store.verdicts.map(\.consequence) == [.runsAgain(strikes: 1)])
    #expect(ack(page) == nil, "It was run again, and ended the server again.")

    restart(page, sending: frames)
    #expect(store.verdicts.map(\.consequence) == [.runsAgain(strikes: 1), .isRefused])
    #expect(store.verdicts.map(\.trap.kind) == [.input, .input])
    #expect(errors(page) == ["2 internal"])
    #expect(ack(page) == 3)
    #expect(page.state["sum"] == "2", "What came before and behind it has taken effect.")
    #expect(store.asideRooms.isEmpty)

    restart(page)
    #expect(page.last("resumed")?["ack"] == 3)
    #expect(store.strikes.isEmpty, "An acknowledged input does not come again.")
  }

  @Test func `is refused as an edit, with those that were made after it`() {
    let query = ["edits": "1"]
    let page = open(query: query)
    page.send(#"{"input":1,"name":"text","revision":0,"edits":[[0,0,"a"]]}"#)
    settle()
    let frames = [
      #"{"input":2,"name":"text","revision":1,"edits":[[1,0,"!"]]}"#,
      #"{"input":3,"name":"text","revision":1,"edits":[[2,0,"b"]]}"#,
    ]
    for frame in frames { page.send(frame) }
    settle()
    restart(page, query: query, sending: frames)
    restart(page, query: query, sending: frames)

    #expect(errors(page) == ["2 internal", "3 internal"])
    #expect(ack(page) == 3)
    let edits = page.new.compactMap { $0["edits"]?["text"] }.last
    #expect(edits?["revision"] == 2, "One empty step tells of the refusal.")
    page.send(#"{"input":4,"name":"text","revision":2,"edits":[[1,0,"c"]]}"#)
    settle()

    #expect(ack(page) == 4)
    #expect(store.storedRooms.first { $0.key.name == page.session }?.texts.map(\.text) == ["ac"])
  }

  @Test func `tells the refusal of an edit again to a page that has not heard of it`() {
    let query = ["edits": "1"]
    let page = open(query: query)
    let frames = [#"{"input":1,"name":"text","revision":0,"edits":[[0,0,"!"]]}"#]
    page.send(frames[0])
    settle()
    restart(page, query: query, sending: frames)
    restart(page, query: query, sending: frames)
    page.link?.drop()
    settle()

    page.mark()
    page.resume(query)
    settle()

    #expect(errors(page) == ["1 internal"])
  }

  @Test(arguments: [true, false])
  func `is refused as an edit of a row, also as its first one, and the row goes on`(isFirst: Bool) {
    let query = ["edits": "1"]
    let page = open(query: query)
    if !isFirst { page.send(#"{"input":1,"name":"title","row":"7","sequence":0,"edits":[[0,3,"r"]]}"#) }
    settle()
    let base = isFirst ? #""sequence":0"# : #""revision":1"#
    let frames = [
      #"{"input":2,"name":"title","row":"7",\#(base),"edits":[[1,0,"!"]]}"#,
      #"{"input":3,"name":"title","row":"7",\#(base),"edits":[[2,0,"b"]]}"#,
      #"{"input":4,"name":"tap"}"#,
    ]
    for frame in frames { page.send(frame) }
    settle()
    restart(page, query: query, sending: frames)
    #expect(ack(page) == nil, "It was run again, and ended the server again.")
    restart(page, query: query, sending: frames)

    #expect(store.verdicts.map(\.consequence) == [.runsAgain(strikes: 1), .isRefused])
    #expect(store.verdicts.allSatisfy { $0.trap.kind == .edit && $0.trap.number == 2 })
    #expect(store.asideRooms.isEmpty)
    #expect(errors(page) == ["2 internal", "3 internal"])
    #expect(ack(page) == 4)
    #expect(page.state["sum"] == "1")
    let told = page.new.compactMap { $0["edits"]?["/rows/7/title"] }
    #expect(told.compactMap { $0["steps"] } == [[[]]], "One empty step tells of the refusal.")
    guard let revision = told.last?["revision"]?.intValue else { return }
    page.link?.drop()
    settle()
    page.mark()
    page.resume(query)
    settle()
    #expect(errors(page) == ["2 internal"], "It is told again until the page has shown that it knows.")
    page.send(#"{"input":5,"name":"title","row":"7","revision":\#(revision),"edits":[[1,0,"c"]]}"#)
    settle()

    #expect(ack(page) == 5)
    #expect(page.state["rows"]?[0]?["title"]?.stringValue == (isFirst ? "rcow" : "rc"))
    restart(page, query: query)
    #expect(store.strikes.isEmpty)
    #expect(errors(page).isEmpty)
  }

  /// The server is started again until it has put a room aside; each time before the page comes back and
  /// sends unacknowledged inputs again.
  private func restartUntilAside(
    _ page: RawPage, query: [String: String] = [:], sending frames: [String] = []
  ) {
    for _ in 0..<3 {
      network.restartServer()
      settle()
      guard store.asideRooms.isEmpty else { break }
      page.resume(query)
      settle()
      for frame in frames { page.send(frame) }
      settle()
    }
    page.mark()
    page.resume(query)
    settle()
  }

  @Test(arguments: ["join", "timer", "restore", "output"])
  func `has its room put aside if it is no input, and its pages begin again`(place: String) {
    let page = open()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
    let session = page.session
    let frame = #"{"input":2,"name":"\#(place)"}"#
    page.send(frame)
    if place == "timer" { page.send(#"{"input":3,"name":"later"}"#) }
    settle()

    restartUntilAside(page, sending: place == "output" ? [frame] : [])

    #expect(store.asideRooms.map(\.room.key.name) == [session])
    #expect(store.asideRooms.first.map { "\($0.kind)" } == place)
    #expect(store.asideRooms.first?.sessions == [session])
    #expect(store.verdicts.map(\.consequence) == [.runsAgain(strikes: 1), .isPutAside])
    #expect(!store.storedRooms.contains { $0.key.name == session })
    #expect(errors(page) == ["- session-unknown"])
    #expect(page.session != session)
    #expect(page.state["sum"] == "0")
  }

  @Test func `gives nothing back of a room that was put aside`() {
    let query = ["edits": "1"]
    let page = open(query: query)
    page.send(#"{"input":1,"name":"text","revision":0,"edits":[[0,0,"old"]]}"#)
    page.send(#"{"input":2,"name":"restore"}"#)
    settle()
    restartUntilAside(page, query: query)

    page.send(#"{"handOver":{"name":"text","value":"old"}}"#)
    page.send(#"{"handOver":{"position":["e",1],"lineage":[]}}"#)
    settle()

    #expect(page.last("snapshot")?["text.field"] == "", "It began again.")
    #expect(page.last("handedOver") == ["text"])
    #expect(page.closeCode == nil)
  }

  @Test func `is the input if its consequence ends the server: another screen, or another room`() {
    let page = open()
    let listening = RawPage(network, "listening")
    settle()
    for (number, name) in [(1, "next"), (2, "share")] {
      let frames = [#"{"input":\#(number),"name":"\#(name)"}"#]
      page.send(frames[0])
      settle()
      restart(page, sending: frames)
      if number == 2 {
        // The other room is there again when its page has come back.
        listening.resume()
        settle()
      }
      restart(page, sending: frames)
    }

    #expect(store.verdicts.allSatisfy { $0.trap.kind == .input && $0.trap.session == page.session })
    #expect(store.verdicts.prefix(2).map(\.trap.number) == [1, 1])
    #expect(store.verdicts.prefix(2).map(\.consequence) == [.runsAgain(strikes: 1), .isRefused])
    #expect(store.asideRooms.isEmpty)
  }

  @Test func `is the input's, whichever loops its page and its room are on`() {
    let store = SimulatedStore()
    let network = SimulatedNetwork(
      seed: 5, loops: 3, store: store, routes: ScreenRoute.traps(store, scope: .room))
    func settle() { network.run(until: network.now + .seconds(1)) }
    let pages = (0..<12).map { _ in RawPage(network, "trap", query: ["room": "one"]) }
    settle()
    var loops: Set<Int?> = []

    for (count, page) in pages.prefix(6).enumerated() {
      for _ in 0..<2 {
        loops.insert(page.link?.loop)
        page.send(#"{"input":1,"name":"deadly"}"#)
        settle()
        network.restartServer()
        settle()
        for each in pages { each.resume(["room": "one"]) }
        settle()
      }
      #expect(store.verdicts.suffix(2).map(\.consequence) == [.runsAgain(strikes: 1), .isRefused])
      page.mark()
      for frame in [#"{"input":1,"name":"deadly"}"#, #"{"input":2,"name":"tap"}"#] { page.send(frame) }
      settle()
      #expect(store.verdicts.count == 2 * count + 2)
      #expect(errors(page) == ["1 internal"])
      #expect(ack(page) == 2)
    }

    #expect(loops == [0, 1, 2], "A room is at home on one of them.")
    #expect(store.verdicts.allSatisfy { $0.trap.kind == .input && $0.room?.name == "one" })
    #expect(pages.allSatisfy { $0.state["sum"] == "6" })
  }

  @Test func `that comes back from another thread is the room's timer`() {
    let page = open()
    page.send(#"{"input":1,"name":"later"}"#)
    settle()
    network.restartServer()

    #expect(store.verdicts.map(\.trap.kind) == [.timer])
    #expect(store.verdicts.map(\.room?.name) == [page.session])
  }

  @Test func `is none if the server is killed`() {
    let page = open()
    for number in 1...20 {
      page.send(#"{"input":\#(number),"name":"tap"}"#)
      network.run(until: network.now + .milliseconds(11))
      network.restartServer()
      page.mark()
      page.resume()
      settle()
    }

    #expect(store.verdicts.isEmpty && store.strikes.isEmpty && store.asideRooms.isEmpty)
  }
}
