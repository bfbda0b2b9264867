// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

@Suite struct `A screen with stored state, after the server was killed` {
  private let store = SimulatedStore()
  private let outside = Outside()
  private let network: SimulatedNetwork

  init() {
    network = SimulatedNetwork(
      seed: 5, store: store,
      routes: [.counter(outside), .second, .alone, .stored, .teller])
  }

  private func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

  private func restart() {
    network.restartServer()
    settle()
  }

  private func sum(_ page: RawPage) -> String? { page.state["sum"]?.stringValue }

  @Test func `goes on where it was, without a snapshot if the page has seen all`() {
    let page = RawPage(network, "counter", query: ["edits": "1"])
    settle()
    for number in 1...3 { page.send(#"{"input":\#(number),"name":"tap"}"#) }
    page.send(#"{"input":4,"name":"text","revision":0,"edits":[[0,0,"結び"]]}"#)
    settle()
    #expect(page.last("ack") == 4)

    restart()
    let seen = page.frames.count
    page.resume(["edits": "1"])
    settle()
    page.send(#"{"input":4,"name":"text","revision":0,"edits":[[0,0,"結び"]]}"#)
    page.send(#"{"input":5,"name":"tap"}"#)
    settle()

    let new = page.values[seen...]
    #expect(new.first?["resumed"]?["ack"] == 4)
    #expect(new.first?["resumed"]?["turns"] == 0)
    #expect(!new.contains { $0["snapshot"] != nil })
    #expect(sum(page) == "4")
    #expect(page.last("ack") == 5)
  }

  @Test func `remembers the last input of a page that rests while others have the room stored as a whole`() {
    let network = SimulatedNetwork(
      seed: 5, store: store, routes: [.counter(outside, scope: .room(default: "lobby"))])
    func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }
    let pages = [RawPage(network, "counter"), RawPage(network, "counter")]
    func tap(_ page: RawPage, _ inputs: ClosedRange<Int>) {
      for input in inputs {
        page.send(#"{"input":\#(input),"name":"tap"}"#)
        settle(.milliseconds(20))
      }
    }
    func comeBack() {
      network.restartServer()
      settle()
      for page in pages { page.resume() }
      settle()
    }
    settle()
    for page in pages { tap(page, 1...1) }
    comeBack()
    tap(pages[0], 2...3)
    tap(pages[1], 2...100)
    comeBack()
    #expect(pages[0].last("resumed")?["ack"] == 3)
    #expect(sum(pages[0]) == "103")
  }

  @Test func `gives a page that missed turns a snapshot of the same`() {
    let page = RawPage(network, "counter")
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    page.send(#"{"input":2,"name":"text","value":"kept"}"#)
    network.run(until: network.now + .milliseconds(12))
    page.link?.drop()
    settle()

    restart()
    page.resume()
    settle()

    #expect(page.last("resumed")?["ack"] == 2)
    #expect(
      page.last("snapshot") == ["sum": "1", "echo": "kept", "text": "", "text.field": "kept"]
        || page.last("snapshot") == ["sum": "1", "echo": "kept", "text.field": "kept"])
  }

  @Test func `acknowledges after the commit, and shows a tap at once but typing after it`() {
    store.delay = .milliseconds(300)
    let page = RawPage(network, "counter", query: ["edits": "1"])
    settle()
    page.clear()

    page.send(#"{"input":1,"name":"tap"}"#)
    settle(.milliseconds(100))
    #expect(page.last("ack") == nil)
    #expect(page.values.first?["patch"]?[0]?["value"] == "1")

    page.send(#"{"input":2,"name":"text","revision":0,"edits":[[0,0,"x"]]}"#)
    settle(.milliseconds(300))
    #expect(page.last("ack") == 1)
    #expect(page.last("edits") == nil)
    settle()
    let order = page.values.suffix(2)
    #expect(order.first == ["ack": 2, "revision": 1])
    #expect(order.last?["edits"]?["text"]?["revision"] == 1)
  }

  @Test func `shares one commit with all that came in its turn, and the next with what comes meanwhile`() {
    store.delay = .milliseconds(300)
    let pages = (0..<5).map { _ in RawPage(network, "counter") }
    settle()
    let before = store.commits

    for number in 1...3 {
      for page in pages { page.send(#"{"input":\#(number),"name":"tap"}"#) }
    }
    settle(.milliseconds(100))
    for number in 4...9 {
      for page in pages { page.send(#"{"input":\#(number),"name":"tap"}"#) }
      settle(.milliseconds(20))
    }
    settle()

    #expect(pages.allSatisfy { sum($0) == "9" && $0.last("ack") == 9 })
    #expect(store.commits == before + 2)
  }

  @Test func `takes an input again that was not stored, and shows stored values`() {
    let page = RawPage(network, "counter")
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
    store.failure = "The disk is full."
    page.send(#"{"input":2,"name":"tap"}"#)
    settle(.seconds(5))
    #expect(sum(page) == "2")
    #expect(page.last("ack") == 1)

    restart()
    store.failure = nil
    page.resume()
    settle()
    #expect(page.last("resumed")?["ack"] == 1)
    #expect(sum(page) == "1")
    page.send(#"{"input":2,"name":"tap"}"#)
    settle()

    #expect(sum(page) == "2")
    #expect(page.last("ack") == 2)
  }

  @Test func `goes on by itself when the store takes changes again`() {
    let page = RawPage(network, "counter")
    settle()
    store.failure = "The disk is full."
    page.send(#"{"input":1,"name":"tap"}"#)
    settle(.seconds(3))
    #expect(page.last("ack") == nil)

    let other = RawPage(network, "counter")
    settle()
    #expect(other.last("snapshot") != nil, "A page can still be opened.")
    store.failure = nil
    settle(.seconds(3))

    #expect(page.last("ack") == 1)
    let notices = network.notices.compactMap { notice -> String? in
      switch notice {
      case .storeFailed(let message): message
      case .storeRecovered: "recovered"
      default: nil
      }
    }
    #expect(notices == ["The disk is full.", "recovered"])
  }

  @Test func `has its stack of screens and its dialog again`() {
    let page = RawPage(network, "counter")
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    page.send(#"{"input":2,"name":"ask"}"#)
    page.send(#"{"input":3,"name":"next"}"#)
    settle()
    network.schedule(network.now) { [outside] in outside.tell() }
    settle()
    let (session, token) = (page.session, page.token)
    let screens = page.last("screens")
    #expect(screens?[0]?["dialog"]?["name"] == "sure")

    restart()
    page.clear()
    page.resume(session: session, token: token)
    settle()

    #expect(page.last("error") == nil)
    #expect(page.last("screens") == screens)
    #expect(page.values.contains { $0["screen"] == 1 && $0["snapshot"] == ["label": "after 1"] })
    page.send(#"{"input":4,"back":1}"#)
    page.send(#"{"input":5,"name":"next"}"#)
    settle()
    #expect(page.last("screens")?[1]?["screen"] == 2, "Numbers are never used again.")
  }

  @Test func `tells an event again that its page has not seen, and no other`() {
    let page = RawPage(network, "teller")
    settle()
    page.send(#"{"input":1,"name":"tell"}"#)
    settle()
    #expect(page.values.compactMap { $0["events"]?[0]?["value"] } == [1])
    page.send(#"{"input":2,"name":"tell"}"#)
    network.run(until: network.now + .milliseconds(12))
    page.link?.drop()
    settle()
    let (first, before) = (page.token, page.position)

    restart()
    page.clear()
    page.resume(session: store.storedSessions[0].id, token: first, position: before)
    settle()
    #expect(page.last("snapshot") != nil)
    #expect(page.values.compactMap { $0["events"]?[0]?["value"] } == [2])
    let token = page.token
    let position = page.position
    restart()
    page.clear()
    page.resume(session: store.storedSessions[0].id, token: token, position: position)
    settle()
    #expect(page.last("error") == nil)
    #expect(page.last("events") == nil)
  }

  @Test func `tells the newest 16 events again, and no older ones`() {
    let page = RawPage(network, "teller")
    settle()
    let before = page.position
    for number in 1...20 {
      page.send(#"{"input":\#(number),"name":"tell"}"#)
      settle()
    }

    let token = page.token
    restart()
    page.clear()
    page.resume(session: store.storedSessions[0].id, token: token, position: before)
    settle()

    let events = page.values.flatMap { $0["events"]?.arrayValue ?? [] }
    #expect(events.compactMap { $0["value"]?.intValue } == Array(5...20))
  }

  @Test func `refuses tokens that are forged, replaced, or of another session, and keeps none of them`() {
    let page = RawPage(network, "counter")
    let other = RawPage(network, "counter")
    settle()
    let (session, first) = (page.session, page.token)
    page.link?.drop()
    settle()
    page.resume()
    settle()
    page.send(#"{"ping":1}"#)
    settle()
    let second = page.token
    #expect(first != second)
    for stored in store.storedSessions {
      #expect(![first, second, other.token].contains(stored.token))
    }

    for token in [first, other.token, "AAAAAAAAAAAAAAAAAAAAAA", "", store.storedSessions[0].token] {
      restart()
      let thief = RawPage(network, "counter", query: ["resume": "1"])
      thief.send(#"{"resume":{"session":"\#(session)","token":"\#(token)","position":["",0]}}"#)
      settle()
      #expect(thief.last("error")?["code"] == "token-refused", "\(token)")
    }

    page.resume(session: session, token: second)
    settle()
    #expect(page.last("resumed")?["session"]?.stringValue == session)
    #expect(page.last("error") == nil)
  }

  @Test func `lets a page use either token while it cannot know which one was stored`() {
    let page = RawPage(network, "counter")
    settle()
    let first = page.token
    page.link?.drop()
    settle()
    page.resume(token: first)
    // Half the way back: the rotation is stored, its answer is lost.
    network.run(until: network.now + .milliseconds(18))
    #expect(page.last("resumed") == nil)
    restart()

    page.resume(token: first)
    settle()

    #expect(page.last("resumed") != nil)
    #expect(page.last("error") == nil)
  }

  @Test func `lets a page go on with the token that it has while nothing can be stored`() {
    let page = RawPage(network, "counter")
    settle()
    let first = page.token
    page.link?.drop()
    settle()
    page.resume(token: first)
    network.run(until: network.now + .milliseconds(18))
    page.link?.drop()
    settle()
    #expect(page.last("resumed") == nil, "another token is stored, and its answer lost")

    store.failure = "The disk is full."
    let other = RawPage(network, "counter")
    settle()
    other.send(#"{"input":1,"name":"tap"}"#)
    settle()
    page.resume(token: first)
    settle()
    #expect(page.token == first && page.last("resumed") != nil)
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
    page.link?.drop()
    settle()
    store.failure = nil
    settle(.seconds(3))
    page.resume(token: first)
    settle()

    #expect(page.last("error") == nil && page.last("resumed")?["ack"] == 1)
  }

  @Test func `forgets sessions by time and by number`() {
    var configuration = SessionConfiguration()
    configuration.maxWaitingSessions = 3
    let network = SimulatedNetwork(seed: 6, configuration: configuration, store: store, routes: [.counter()])
    func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }
    func restart() {
      network.restartServer()
      settle()
    }
    let pages = (0..<5).map { _ in RawPage(network, "counter") }
    settle()
    for page in pages { page.send(#"{"input":1,"name":"tap"}"#) }
    settle()
    for page in pages {
      page.link?.drop()
      settle(.seconds(60))
    }
    #expect(store.storedSessions.count == 3)

    restart()
    settle(.seconds(430))
    #expect(store.storedSessions.count == 2, "The one that left 600 s ago.")
    restart()
    pages[2].resume()
    pages[4].resume()
    settle()
    #expect(pages[2].last("error")?["code"] == "session-unknown")
    #expect(pages[4].last("resumed") != nil)
    settle(.seconds(2_000))
    #expect(store.storedSessions.count == 2, "Those that are connected.")
    for page in pages { page.link?.drop() }
    settle(.seconds(3_000))
    #expect(store.storedSessions.isEmpty)
    #expect(store.storedRooms.isEmpty)
  }

  @Test func `stores nothing of a screen without a state, and acknowledges it at once`() {
    store.delay = .seconds(100)
    let page = RawPage(network, "alone")
    settle()
    page.send(#"{"input":1,"name":"roll"}"#)
    settle()

    #expect(page.last("ack") == 1)
    #expect(store.commits == 0)
  }

  @Test func `whose state can no longer be read begins again, and says so`() {
    let page = RawPage(network, "stored")
    settle()
    page.send(#"{"input":1,"name":"tap"}"#)
    settle()
    StoredView.readsText = true
    defer { StoredView.readsText = false }

    restart()
    page.resume()
    settle()

    #expect(page.last("error")?["code"] == "session-unknown")
    #expect(page.last("snapshot") != nil)
    #expect(
      network.notices.contains {
        if case .failed(let failed) = $0 { failed.screen == "stored" } else { false }
      })
  }
}

/// A ViewModel that tells how often it was asked, once each.
private final class Teller: InputOutputViewModel, Restorable {
  struct Inputs: Decodable { var tell: Signal<Void> = .never() }
  struct Outputs: Encodable {
    let told: Signal<Int>
    let count: Driver<Int>
  }

  private let count: BehaviorRelay<Int>
  var state: Int { count.value }

  init(count: Int) { self.count = BehaviorRelay(value: count) }

  func bind(_ inputs: Inputs) -> Outputs {
    let told = inputs.tell.map { [count] in
      count.accept(count.value + 1)
      return count.value
    }
    return Outputs(told: told, count: count.asDriver())
  }
}

/// A view whose stored state another version of the program cannot read.
private final class StoredView: View, Restorable {
  nonisolated(unsafe) static var readsText = false
  private(set) var state = 0
  private let button = Button("tap")

  init(_ context: ScreenContext) throws {
    if Self.readsText { _ = try context.restored(String.self) } else { state = try context.restored() ?? 0 }
  }

  override func viewDidLoad() { button.onTap = { [unowned self] in state += 1 } }
}

extension ScreenRoute {
  fileprivate static var teller: ScreenRoute {
    ScreenRoute(name: "teller", scope: .session) { context in
      InputOutputScreen(Teller(count: try context.restored() ?? 0), name: "teller")
    }
  }

  fileprivate static var stored: ScreenRoute {
    ScreenRoute(name: "stored", scope: .session) { context in try StoredView(context) }
  }
}

@Suite struct `A room with stored state` {
  private let store = SimulatedStore()

  @Test(arguments: [1, 3]) func `comes back with its text for all pages, on as many loops as there are`(
    loops: Int
  ) {
    let network = SimulatedNetwork(
      seed: 9, loops: loops, store: store, routes: [.counter(scope: .room)])
    func settle() { network.run(until: network.now + .seconds(2)) }
    let pages = (0..<6).map { RawPage(network, "counter", query: ["room": "room \($0 % 2)"]) }
    settle()
    for (index, page) in pages.enumerated() {
      page.send(#"{"input":1,"name":"tap"}"#)
      page.send(#"{"input":2,"name":"text","value":"by \#(index)"}"#)
    }
    settle()
    let states = pages.map(\.state)

    network.restartServer()
    settle()
    for (index, page) in pages.enumerated() { page.resume(["room": "room \(index % 2)"]) }
    settle()
    for page in pages { page.send(#"{"input":3,"name":"tap"}"#) }
    settle()

    for (page, before) in zip(pages, states) {
      #expect(page.last("error") == nil)
      #expect(page.state["sum"] == "6")
      #expect(page.state["text.field"] == before["text.field"])
      #expect(page.state["echo"] == before["echo"])
    }
    #expect(Set(pages.map { $0.state.description }).count <= 2)
  }

  @Test func `never shows a page what another page's typing was before it is stored`() {
    let network = SimulatedNetwork(seed: 2, store: store, routes: [.counter(scope: .room)])
    func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }
    let writer = RawPage(network, "counter", query: ["edits": "1"])
    let reader = RawPage(network, "counter", query: ["edits": "1"])
    settle()
    store.delay = .seconds(2)
    writer.send(#"{"input":1,"name":"text","revision":0,"edits":[[0,0,"a"]]}"#)
    settle()
    let late = RawPage(network, "counter")
    settle(.milliseconds(500))

    #expect(reader.last("edits") == nil)
    #expect(late.last("snapshot") == nil)
    settle(.seconds(4))
    #expect(reader.last("edits") != nil)
    #expect(late.last("snapshot")?["text.field"] == "a")
  }
}
