// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
import MusubiTesting
import MusubiWire
import Synchronization
import Testing

@Suite struct `A page that returns` {
  private let network: SimulatedNetwork
  private let page: RawPage
  private let other: RawPage

  init() {
    var configuration = SessionConfiguration()
    configuration.maxLogTurns = 8
    network = SimulatedNetwork(seed: 3, configuration: configuration, routes: [.number])
    page = RawPage(network, "number", query: ["edits": "1"])
    other = RawPage(network, "number")
    network.run(until: .seconds(1))
  }

  private func settle() { network.run(until: network.now + .seconds(1)) }

  private func dropAndRoll(_ count: Int) {
    page.link?.drop()
    settle()
    let first = (other.last("ack")?.intValue ?? 0) + 1
    for number in first..<(first + count) {
      other.send(#"{"input":\#(number),"name":"roll"}"#)
      settle()
    }
  }

  @Test func `gets exactly the turns that it missed`() {
    dropAndRoll(3)
    let seen = page.frames.count

    page.resume(["edits": "1"])
    settle()

    let new = page.values[seen...]
    #expect(new.first?["resumed"]?["turns"] == 3)
    #expect(new.compactMap { $0["sequence"] } == [1, 2, 3])
    #expect(!new.contains { $0["snapshot"] != nil })
  }

  @Test func `keeps its session when a former connection of its own asks for it later`() {
    page.link?.drop()
    settle()
    // The page is reloaded while its first way back is still slow.
    let late = RawPage(network, "number", query: ["edits": "1", "resume": "1"])
    network.run(until: network.now + .milliseconds(500))
    page.resume(["edits": "1"])
    settle()
    let seen = page.frames.count
    late.send(
      #"{"resume":{"session":"\#(page.session)","token":"\#(page.token)","position":["",0]}}"#)
    settle()

    #expect(late.closeCode == 4502 && late.frames.isEmpty)
    #expect(page.isUp)
    page.send(#"{"input":1,"name":"roll"}"#)
    settle()
    #expect(page.values[seen...].contains { $0["ack"] == 1 })
  }

  @Test(arguments: ["alone", "number"]) func `finds its own ViewModel, with what nobody else knows`(
    screen: String
  ) {
    let made = Mutex(0)
    let counting = ScreenRoute(name: screen, scope: screen == "alone" ? .session : .room) { _ in
      made.withLock { $0 += 1 }
      return NumberView()
    }
    let network = SimulatedNetwork(seed: 3, routes: [counting])
    let page = RawPage(network, screen)
    network.run(until: .seconds(1))
    let instances = made.withLock { $0 }
    for number in 1...3 {
      // The label shows the last text; how often the button was tapped is in the ViewModel alone.
      page.send(#"{"input":\#(2 * number - 1),"name":"number","value":"x"}"#)
      page.send(#"{"input":\#(2 * number),"name":"roll"}"#)
      network.run(until: network.now + .seconds(1))
      #expect(page.state["label"] == .string("\(number)"))
      page.link?.drop()
      network.run(until: network.now + .seconds(60))
      page.resume()
      network.run(until: network.now + .seconds(1))
    }

    #expect(made.withLock { $0 } == instances)
    #expect(page.last("error") == nil)
  }

  @Test func `gets a snapshot when the log no longer reaches back`() {
    dropAndRoll(9)
    let seen = page.frames.count

    page.resume(["edits": "1"])
    settle()

    let new = page.values[seen...]
    #expect(new.first?["resumed"]?["turns"] == nil)
    #expect(new.compactMap { $0["snapshot"]?["label"] } == ["9"])
    #expect(new.compactMap { $0["sequence"] } == [9])
  }

  @Test func `is told which revisions are its own when the acknowledgement was lost`() {
    page.send(#"{"input":1,"name":"number","revision":0,"edits":[[1,0,"1"]]}"#)
    network.run(until: network.now + .milliseconds(10))
    page.link?.drop()
    settle()
    let seen = page.frames.count

    page.resume(["edits": "1"])
    page.send(#"{"input":1,"name":"number","revision":0,"edits":[[1,0,"1"]]}"#)
    settle()

    #expect(page.last("resumed")?["ack"] == 1)
    #expect(page.last("resumed")?["own"] == [[1, 1]])
    #expect(page.values[seen...].compactMap { $0["edits"]?["number"]?["revision"] } == [1])
    #expect(other.state["number.field"] == "01")
  }

  @Test func `with a forged token or an unknown session gets a new session`() {
    let session = page.session
    page.link?.drop()
    settle()

    page.resume(token: "AAAAAAAAAAAAAAAAAAAAAA")
    settle()
    #expect(page.last("error")?["code"] == "token-refused")
    #expect(page.session != session)

    page.resume(session: "nobody")
    settle()
    #expect(page.last("error")?["code"] == "session-unknown")
    #expect(page.last("snapshot") != nil)
  }

  @Test func `may use the token before the last one until it has shown that it knows the last one`() {
    let first = page.token
    page.link?.drop()
    settle()
    page.resume(token: first)
    network.run(until: network.now + .milliseconds(15))
    page.link?.drop()
    settle()

    page.resume(token: first)
    settle()
    #expect(page.last("resumed") != nil)
    #expect(page.last("error") == nil)

    page.send(#"{"ping":1}"#)
    settle()
    page.resume(token: first)
    settle()
    #expect(page.last("error")?["code"] == "token-refused")
  }

  @Test func `may use the last token although an older request with the one before came behind it`() {
    let first = page.token
    page.resume(token: first)
    settle()
    let second = page.token
    // What the former connection has sent was on its way for long; nobody gets its answer.
    page.resume(token: first)
    settle()
    #expect(page.last("resumed") != nil && page.token != second)

    page.resume(token: second)
    settle()
    #expect(page.last("resumed") != nil)
    #expect(page.last("error") == nil)

    page.send(#"{"ping":1}"#)
    settle()
    for token in [first, second] {
      page.resume(token: token)
      settle()
      #expect(page.last("error")?["code"] == "token-refused")
    }
  }

  @Test func `takes the session from its older connection`() {
    let older = page.link
    page.resume(["edits": "1"])
    settle()
    other.send(#"{"input":1,"name":"roll"}"#)
    settle()

    #expect(older?.isOpen == false)
    #expect(page.isUp)
    #expect(page.last("patch") != nil)
  }

  @Test func `without a resume frame is closed with 4003`() {
    page.connect(["resume": "1"])

    network.run(until: network.now + .seconds(76))

    #expect(page.closeCode == 4003)
  }

  @Test func `after the session's lifetime begins a new one`() {
    page.link?.drop()
    network.run(until: network.now + .seconds(601))

    page.resume()
    settle()

    #expect(page.last("error")?["code"] == "session-unknown")
  }

  @Test func `in time finds its session, however late a loop that stood still hears of it`() throws {
    let loop = try #require(network.services.first as? SessionLoop)
    page.send(#"{"input":1,"name":"number","value":"1"}"#)
    settle()
    page.link?.drop()
    network.run(until: network.now + .seconds(599))

    loop.advance(to: network.now + .seconds(20))
    page.resume()
    settle()

    #expect(page.last("resumed") != nil)
    #expect(page.last("error") == nil)
  }

  @Test func `is waited for in vain by a loop that stands still again and again`() throws {
    let loop = try #require(network.services.first as? SessionLoop)
    page.send(#"{"input":1,"name":"number","value":"1"}"#)
    settle()
    page.link?.drop()
    network.run(until: network.now + .seconds(599))

    for late in stride(from: 2, through: 62, by: 6) { loop.advance(to: network.now + .seconds(late)) }
    page.resume()
    settle()

    #expect(page.last("error")?["code"] == "session-unknown")
  }

  @Test func `is one of as many as are kept, however often the others come and go`() {
    var configuration = SessionConfiguration()
    configuration.maxWaitingSessions = 2
    let network = SimulatedNetwork(seed: 5, configuration: configuration, routes: [.number])
    let patient = RawPage(network, "number")
    let restless = RawPage(network, "number")
    network.run(until: .seconds(1))

    patient.link?.drop()
    for _ in 0..<5 {
      network.run(until: network.now + .seconds(1))
      restless.link?.drop()
      network.run(until: network.now + .seconds(1))
      restless.resume()
    }
    patient.resume()
    network.run(until: network.now + .seconds(1))

    #expect(patient.last("resumed") != nil)
    #expect(restless.last("error") == nil)
  }

  @Test func `is the oldest of more than are kept, and begins again`() {
    var configuration = SessionConfiguration()
    configuration.maxWaitingSessions = 2
    let network = SimulatedNetwork(seed: 5, configuration: configuration, routes: [.number])
    let pages = (0..<3).map { _ in RawPage(network, "number") }
    network.run(until: .seconds(1))

    for page in pages {
      page.link?.drop()
      network.run(until: network.now + .seconds(1))
    }
    for page in pages { page.resume() }
    network.run(until: network.now + .seconds(1))

    #expect(pages.map { $0.last("error")?["code"] } == ["session-unknown", nil, nil])
  }

  @Test func `with an edit older than its own first snapshot is told that it is wrong`() {
    other.send(#"{"input":1,"name":"number","value":"12"}"#)
    settle()
    let late = RawPage(network, "number", query: ["edits": "1"])
    settle()

    late.send(#"{"input":1,"name":"number","revision":0,"edits":[[0,0,"9"]]}"#)
    settle()

    #expect(late.last("error")?["code"] == "malformed")
    #expect(late.closeCode == 4501)
    #expect(other.state["number.field"] == "12")
  }

  @Test func `with an edit from before a snapshot that it was sent meanwhile is asked to come back`() {
    page.link?.isStalled = true
    for number in 1...10 {
      other.send(#"{"input":\#(number),"name":"number","value":"\#(10 + number)"}"#)
      settle()
    }
    // The text's steps reach back further than the turns: the room could place it, but elsewhere than the page has it.
    page.link?.isStalled = false
    page.send(#"{"input":1,"name":"number","revision":0,"edits":[[1,0,"5"]]}"#)
    settle()

    #expect(page.closeCode == 4001 && page.last("ack") == nil)
    #expect(other.state["number.field"] == "20")

    page.resume(["edits": "1"])
    settle()
    page.send(#"{"input":1,"name":"number","revision":10,"edits":[[2,0,"5"]]}"#)
    settle()

    #expect(page.last("ack") == 1)
    #expect(other.state["number.field"] == "205")
  }

  @Test func `whose edits go back to an older revision is told that it is wrong`() {
    page.send(#"{"input":1,"name":"number","revision":0,"edits":[[1,0,"1"]]}"#)
    settle()
    page.send(#"{"input":2,"name":"number","revision":1,"edits":[[2,0,"2"]]}"#)
    page.send(#"{"input":3,"name":"number","revision":0,"edits":[[0,0,"9"]]}"#)
    settle()

    #expect(page.closeCode == 4501)
    #expect(other.state["number.field"] == "012")
  }

  @Test func `after a restart of the server begins a new session with a new epoch`() {
    let before = page.position
    network.restartServer()
    settle()

    page.resume()
    settle()

    #expect(page.last("error")?["code"] == "session-unknown")
    #expect(page.position[0] != before[0])
  }

  @Test func `that stops reading gets the newest state when it wakes, by one snapshot`() {
    page.link?.isStalled = true
    for number in 1...20 {
      other.send(#"{"input":\#(number),"name":"roll"}"#)
      settle()
    }
    let seen = page.frames.count

    page.link?.isStalled = false
    settle()

    #expect(page.values[seen...].compactMap { $0["snapshot"]?["label"] } == ["20"])
    #expect(page.frames.count == seen + 1)
  }

  @Test func `that reads none of its answers is closed with 4001`() {
    var configuration = SessionConfiguration()
    configuration.messageRate = nil
    let network = SimulatedNetwork(seed: 4, configuration: configuration, routes: [.number])
    let page = RawPage(network, "number")
    network.run(until: network.now + .seconds(1))

    page.link?.isStalled = true
    for number in 1...20_000 { page.send(#"{"ping":\#(number)}"#) }
    network.run(until: network.now + .seconds(1))
    page.link?.isStalled = false
    network.run(until: network.now + .seconds(1))

    #expect(page.closeCode == 4001)
  }

  @Test func `alone gets the turns that it has not shown to have, and a snapshot for the others`() {
    let network = SimulatedNetwork(seed: 5, routes: [.number])
    func settle() { network.run(until: network.now + .seconds(1)) }
    let page = RawPage(network, "number", query: ["edits": "1"])
    settle()
    for number in 1...100 {
      let edit = number.isMultiple(of: 2) ? #"[1,1,""]"# : #"[1,0,"1"]"#
      page.send(
        #"{"input":\#(number),"name":"number","revision":\#(max(0, number - 11)),"edits":[\#(edit)]}"#)
      settle()
    }
    let epoch = page.position[0]
    #expect(page.position == [epoch, 100])

    for (position, turns) in [(99, 1), (89, 11), (20, nil)] as [(Int64, Int64?)] {
      page.link?.drop()
      settle()
      let seen = page.frames.count
      page.resume(["edits": "1"], position: [epoch, .integer(position)])
      settle()

      let new = page.values[seen...]
      #expect(new.first?["resumed"]?["turns"] == turns.map { .integer($0) }, "from \(position)")
      #expect(new.contains { $0["snapshot"] != nil } == (turns == nil), "from \(position)")
    }
    #expect(page.state["number.field"] == "0")
  }
}
