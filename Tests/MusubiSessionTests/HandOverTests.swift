// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// A text, a choice, and a button that changes both.
private final class PlanView: View {
  private let text = TextField("text")
  private let choice = SegmentedControl("choice", segmentCount: 3)
  private let label = Label("label")
  private let reset = Button("reset")
  private let bag = DisposeBag()

  override func viewDidLoad() {
    choice.selectedIndex = 0
    bag.insert(
      text.rx.text.orEmpty.map { "given \($0)" }.bind(to: label.rx.text),
      reset.rx.tap.subscribe(onNext: { [unowned self] in
        text.text = "reset"
        choice.selectedIndex = 2
      }))
  }
}

@Suite struct `A server that lost its memory` {
  private let network: SimulatedNetwork
  private let pages: [RawPage]

  init() {
    (network, pages) = Self.begin()
  }

  /// Three pages that have lost their sessions; the server's start is long ago unless it is killed.
  private static func begin(scope: Scope = .room) -> (SimulatedNetwork, [RawPage]) {
    let network = SimulatedNetwork(
      seed: 4, routes: [ScreenRoute(name: "plan", scope: scope) { _ in PlanView() }])
    let pages = (0..<3).map { _ in RawPage(network, "plan", query: ["edits": "1"]) }
    network.run(until: network.now + .seconds(1))
    network.restartServer()
    network.run(until: network.now + .seconds(1))
    return (network, pages)
  }

  private func settle(_ time: Duration = .milliseconds(200)) { network.run(until: network.now + time) }

  /// Comes back to a new session.
  private func comeBack(_ pages: RawPage...) {
    for page in pages { page.resume(["edits": "1"]) }
    settle()
  }

  private func send(_ page: RawPage, _ values: [(String, String)]) {
    for (name, value) in values { page.send(#"{"handOver":{"name":"\#(name)","value":\#(value)}}"#) }
  }

  private func handOver(
    _ page: RawPage, _ values: (String, String)..., at position: String, of lineage: String = "[]"
  ) {
    send(page, values)
    page.send(#"{"handOver":{"position":\#(position),"lineage":\#(lineage)}}"#)
    settle()
  }

  private func text(_ page: RawPage) -> String? { page.last("snapshot")?["text.field"]?.stringValue }
  private func choice(_ page: RawPage) -> Int? { page.last("snapshot")?["choice"]?.intValue }

  /// What the room shows to somebody who comes.
  private func shown() -> Value? {
    let witness = RawPage(network, "plan", query: ["edits": "1"])
    settle()
    return witness.last("snapshot")
  }

  @Test func `takes a page's values, in pieces, gives them to the ViewModel, and tells the page`() {
    comeBack(pages[0])

    handOver(pages[0], ("text", #""4""#), ("text", #""2""#), ("choice", "1"), at: #"["E",7]"#)

    #expect(pages[0].last("handedOver") == [])
    #expect(pages[0].last("snapshot")?["label"] == "given 42")
    #expect(choice(pages[0]) == 1)
    #expect(pages[0].values.last?["lineage"] == [["E", 7]])
  }

  @Test func `takes nothing before the last frame of a hand-over has come`() {
    comeBack(pages[0])

    send(pages[0], [("text", #""42""#), ("choice", "1")])
    settle()
    pages[0].link?.drop()
    settle()

    #expect(shown()?["text.field"] == "")
    #expect(shown()?["choice"] == 0)
  }

  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func `has what the page knows that knows most, in whichever order they come`(order: [Int]) {
    comeBack(pages[0], pages[1], pages[2])
    let texts = ["4", "42", "421"]

    for page in order { handOver(pages[page], ("text", #""\#(texts[page])""#), at: #"["E",\#(page + 1)]"#) }

    #expect(shown()?["text.field"] == "421")
    #expect(pages.allSatisfy { $0.last("handedOver") == [] }, "Who knows less has nothing to give up.")
  }

  @Test func `takes a page's values of a later life, and has others give up theirs that it never knew`() {
    comeBack(pages[0], pages[1], pages[2])

    handOver(pages[0], ("text", #""E""#), at: #"["E",5]"#)
    handOver(pages[1], ("text", #""EF""#), at: #"["F",3]"#, of: #"[["E",6]]"#)
    handOver(pages[2], ("text", #""EE""#), at: #"["E",9]"#)

    #expect(shown()?["text.field"] == "EF")
    #expect(pages.map { $0.last("handedOver") } == [[], [], ["text"]])
  }

  @Test func `has the values of a page that has seen a turn, though one that has seen none came first`() {
    comeBack(pages[0], pages[1], pages[2])

    handOver(pages[0], ("text", #""D""#), at: #"["D",0]"#)
    handOver(pages[1], ("text", #""E""#), at: #"["E",1]"#)
    handOver(pages[2], ("text", #""F""#), at: #"["F",0]"#)

    #expect(shown()?["text.field"] == "E")
    #expect(pages.allSatisfy { $0.last("handedOver") == [] })
  }

  @Test func `takes a control that the first page did not hand over from the next one`() {
    comeBack(pages[0], pages[1])

    handOver(pages[0], ("text", #""E""#), at: #"["E",9]"#)
    handOver(pages[1], ("text", #""D""#), ("choice", "1"), at: #"["E",5]"#)

    #expect(shown()?["text.field"] == "E")
    #expect(shown()?["choice"] == 1)
  }

  @Test func `checks a value as that of an input, and ignores other names than two-way controls`() {
    comeBack(pages[0])

    handOver(pages[0], ("choice", "9"), ("label", #""x""#), ("reset", "null"), at: #"["E",1]"#)

    #expect(pages[0].last("handedOver") == ["choice"])
    #expect(shown()?["choice"] == 0)
    #expect(shown()?["label"] == "given ")
  }

  @Test func `lets inputs wait for two seconds, so that the page that knows most wins and not the fastest`() {
    comeBack(pages[0])
    handOver(pages[0], ("text", #""4""#), at: #"["E",5]"#)
    pages[0].send(#"{"input":9,"name":"text","revision":1,"edits":[[1,0,"!"]]}"#)
    pages[0].send(#"{"ping":1}"#)
    settle()
    let early = (pages[0].last("ack"), pages[0].last("pong"))

    comeBack(pages[1])
    handOver(pages[1], ("text", #""42""#), at: #"["E",6]"#)
    settle(.seconds(2))

    #expect(early == (nil, nil))
    #expect(pages[0].last("ack") == 9)
    #expect(pages[0].last("pong") == 1)
    #expect(shown()?["text.field"] == "42!")
    #expect(pages[1].last("handedOver") == [])
  }

  @Test func `has a page that comes later give up a text that somebody has changed, and only that`() {
    comeBack(pages[0])
    handOver(pages[0], ("text", #""4""#), at: #"["E",5]"#)
    pages[0].send(#"{"input":9,"name":"text","revision":1,"edits":[[1,0,"!"]]}"#)
    settle(.seconds(3))

    comeBack(pages[1])
    handOver(pages[1], ("text", #""42""#), ("choice", "1"), at: #"["E",6]"#)

    #expect(pages[1].last("handedOver") == ["text"])
    #expect(text(pages[1]) == "4!")
    #expect(choice(pages[1]) == 1)
  }

  @Test func `has a page that comes later give up what an input has changed by way of the ViewModel`() {
    comeBack(pages[0])
    settle(.seconds(3))
    pages[0].send(#"{"input":1,"name":"reset"}"#)
    settle()

    comeBack(pages[1])
    handOver(pages[1], ("text", #""42""#), ("choice", "1"), at: #"["E",6]"#)

    #expect(pages[1].last("handedOver") == ["text", "choice"])
    #expect(text(pages[1]) == "reset")
    #expect(choice(pages[1]) == 2)
  }

  @Test func `has a choice given up that somebody has made again, even the same`() {
    comeBack(pages[0])
    settle(.seconds(3))
    pages[0].send(#"{"input":1,"name":"choice","value":0}"#)
    settle()

    comeBack(pages[1])
    handOver(pages[1], ("choice", "1"), at: #"["E",6]"#)

    #expect(pages[1].last("handedOver") == ["choice"])
    #expect(choice(pages[1]) == 0)
  }

  @Test func `sends nothing that waits into the room if its connection is lost; the page sends it again`() {
    comeBack(pages[0])
    pages[0].send(#"{"input":9,"name":"text","revision":0,"edits":[[0,0,"a"]]}"#)
    pages[0].send(#"{"input":10,"name":"text","revision":0,"edits":[[1,0,"b"]]}"#)
    settle()
    pages[0].link?.drop()
    settle()
    let between = shown()?["text.field"]
    pages[0].resume(["edits": "1"])
    for frame in [
      #"{"input":9,"name":"text","revision":0,"edits":[[0,0,"a"]]}"#,
      #"{"input":10,"name":"text","revision":0,"edits":[[1,0,"b"]]}"#,
    ] {
      pages[0].send(frame)
    }
    settle(.seconds(3))

    #expect(between == "")
    #expect(shown()?["text.field"] == "ab")
    #expect(pages[0].last("ack") == 10)
  }

  @Test func `lets nobody wait as long as all are new, nor in a room that is made later`() {
    network.restartServer()
    let page = RawPage(network, "plan", query: ["edits": "1"])
    settle()
    page.send(#"{"input":1,"name":"text","revision":0,"edits":[[0,0,"a"]]}"#)
    settle()
    let first = page.last("ack")
    let other = RawPage(network, "plan", query: ["edits": "1", "room": "other"])
    settle()
    other.send(#"{"input":1,"name":"text","revision":0,"edits":[[0,0,"a"]]}"#)
    settle()

    #expect(first == 1)
    #expect(other.last("ack") == 1)
  }

  @Test func `lets new visitors wait for a page that comes back within two seconds of the server's start`() {
    network.restartServer()
    let visitor = RawPage(network, "plan", query: ["edits": "1"])
    settle()
    comeBack(pages[0])
    visitor.send(#"{"input":1,"name":"text","revision":0,"edits":[[0,0,"a"]]}"#)
    settle()
    let early = visitor.last("ack")
    handOver(pages[0], ("text", #""42""#), at: #"["E",6]"#)
    settle(.seconds(2))

    #expect(early == nil)
    #expect(visitor.last("ack") == 1)
    #expect(shown()?["text.field"] == "42a")
  }

  @Test func `lets nobody wait who has the screen alone`() {
    let (network, pages) = Self.begin(scope: .session)
    pages[0].resume(["edits": "1"])
    pages[0].send(#"{"handOver":{"name":"text","value":"42"}}"#)
    pages[0].send(#"{"handOver":{"position":["E",6],"lineage":[]}}"#)
    pages[0].send(#"{"input":9,"name":"text","revision":0,"edits":[[0,0,"a"]]}"#)
    network.run(until: network.now + .milliseconds(200))

    #expect(pages[0].last("handedOver") == [])
    #expect(pages[0].last("ack") == 9)
  }

  @Test func `takes a hand-over from a page that could not resume, before its first input, and once`() {
    let end = #"{"handOver":{"position":["E",6],"lineage":[]}}"#
    let fresh = RawPage(network, "plan", query: ["edits": "1"])
    settle()
    fresh.send(end)
    comeBack(pages[0], pages[1])
    handOver(pages[0], at: #"["E",6]"#)
    pages[0].send(end)
    pages[1].send(#"{"input":1,"name":"reset"}"#)
    settle(.seconds(3))
    pages[1].send(end)
    settle()

    #expect(fresh.closeCode == CloseCode.protocolMismatch.rawValue)
    #expect(pages[0].closeCode == CloseCode.protocolMismatch.rawValue)
    #expect(pages[1].closeCode == CloseCode.protocolMismatch.rawValue)
  }

  @Test func `takes nothing older from a page of the room that lives on, and tells which inputs it has`() {
    let route = ScreenRoute(name: "plan", scope: .room) { _ in PlanView() }
    let network = SimulatedNetwork(seed: 4, routes: [route]) { request in
      Visitor(id: request.headers["cookie"])
    }
    let page = RawPage(network, "plan", query: ["edits": "1"])
    let other = RawPage(network, "plan", query: ["edits": "1"])
    func settle() { network.run(until: network.now + .milliseconds(200)) }
    settle()
    let epoch = page.position[0].stringValue ?? ""
    page.send(#"{"input":3,"name":"text","revision":0,"edits":[[0,0,"a"]]}"#)
    settle()
    other.send(#"{"input":1,"name":"text","revision":1,"edits":[[0,0,"b"]]}"#)
    page.link?.drop()
    settle()
    page.visitor = "ann"
    page.resume(["edits": "1"])
    page.send(#"{"handOver":{"name":"text","value":"old"}}"#)
    page.send(#"{"handOver":{"position":["\#(epoch)",1],"lineage":[]}}"#)
    settle()

    let answer = page.values.last { $0["handedOver"] != nil }
    #expect(answer?["handedOver"] == [])
    #expect(answer?["ack"] == 3)
    #expect(page.last("snapshot")?["text.field"] == "ba")
  }
}

@Suite struct `A lineage` {
  private func lineage(_ positions: (String, Int)...) -> Lineage {
    let all = positions.map { StreamPosition(epoch: $0.0, sequence: $0.1) }
    return all.last.map { Lineage(at: $0, of: all.dropLast()) } ?? Lineage()
  }

  @Test func `leaves out streams without a turn, and keeps the newest eight`() {
    var long = lineage(("A", 0), ("B", 2))
    for number in 1...9 { long.add(lineage(("N\(number)", number))) }

    #expect(lineage(("A", 0), ("B", 2)).positions.map(\.epoch) == ["B"])
    #expect(long.positions.map(\.epoch) == (2...9).map { "N\($0)" })
    #expect(lineage(("A", 0)).positions.isEmpty)
  }

  @Test func `knows earlier positions in the same stream`() {
    let known = lineage(("A", 3), ("B", 5))

    #expect(known.contains(StreamPosition(epoch: "A", sequence: 3)))
    #expect(!known.contains(StreamPosition(epoch: "A", sequence: 4)))
    #expect(!known.contains(StreamPosition(epoch: "C", sequence: 1)))
  }
}
