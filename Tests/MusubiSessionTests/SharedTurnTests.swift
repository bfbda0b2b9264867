// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

/// Tells each tap once, and counts them.
private final class BellViewModel: InputOutputViewModel {
  struct Inputs: Decodable {
    let ring: Signal<Void>
  }

  struct Outputs: Encodable {
    let rings: Driver<Int>
    let rang: Signal<Int>
  }

  func bind(_ inputs: Inputs) -> Outputs {
    let count = inputs.ring.scan(0) { count, _ in count + 1 }
    return Outputs(rings: count.asDriver(onErrorJustReturn: 0), rang: count)
  }
}

/// What arrives within one iteration; the simulated network hands over at once what arrives at one moment.
@Suite struct `Inputs that arrive together` {
  private let network = SimulatedNetwork(seed: 1, routes: [.number, .capitals, .patient, .zero])

  private func settle() { network.run(until: network.now + .seconds(1)) }

  private func edit(_ number: Int, _ position: Int, _ text: String, name: String = "number") -> String {
    #"{"input":\#(number),"name":"\#(name)","revision":0,"edits":[[\#(position),0,"\#(text)"]]}"#
  }

  @Test func `are one turn, with each edit as a step and each acknowledged`() {
    let page = RawPage(network, "number", query: ["edits": "1"])
    let other = RawPage(network, "number")
    settle()
    page.clear()
    other.clear()

    for number in 1...16 { page.send(edit(number, number - 1, "\(number % 10)")) }
    settle()

    let acks = (1...16).map { #"{"ack":\#($0),"revision":\#($0)}"# }
    #expect(page.frames.dropLast() == acks[...])
    let turn = page.values.last
    #expect(turn?["sequence"] == 1)
    #expect(turn?["edits"]?["number"]?["revision"] == 16)
    #expect(turn?["edits"]?["number"]?["steps"]?.arrayValue?.count == 16)
    #expect(turn?["patch"]?.arrayValue?.count == 2)
    #expect(other.frames.count == 1)
    #expect(other.values[0]["patch"]?.arrayValue?.last?["value"] == "12345678901234560")
  }

  @Test func `of several pages share it, and each page is told which steps are its own`() {
    let one = RawPage(network, "number", query: ["edits": "1"])
    let other = RawPage(network, "number", query: ["edits": "1"])
    settle()
    one.clear()
    other.clear()

    one.send(edit(1, 0, "1"))
    other.send(edit(1, 0, "2"))
    one.send(edit(2, 1, "3"))
    settle()

    #expect(one.frames.dropLast() == [#"{"ack":1,"revision":1}"#, #"{"ack":2,"revision":3}"#])
    #expect(other.frames.dropLast() == [#"{"ack":1,"revision":2}"#])
    #expect(one.frames.last == other.frames.last)
    #expect(one.values.last?["edits"]?["number"]?["steps"]?.arrayValue?.count == 3)
  }

  @Test func `have the ViewModel's answers between them`() {
    let page = RawPage(network, "capitals", query: ["edits": "1"])
    settle()
    page.clear()

    page.send(edit(1, 0, "a", name: "text"))
    page.send(edit(2, 1, "b", name: "text"))
    settle()

    #expect(
      page.frames == [
        #"{"ack":1,"revision":1}"#, #"{"ack":2,"revision":3}"#,
        #"{"sequence":1,"patch":[{"op":"add","path":"/text","value":"AB"}],"#
          + #""edits":{"text":{"revision":4,"steps":[[[0,0,"a"]],[[0,1,"A"]],[[1,0,"b"]],[[1,1,"B"]]]}}}"#,
      ])
  }

  /// What both clients send if a selection is typed over: the ViewModel never sees the text without it.
  @Test func `give the ViewModel typing over a selection at once`() {
    let page = RawPage(network, "zero", query: ["edits": "1"])
    settle()
    page.send(edit(1, 0, "7", name: "text"))
    settle()
    page.clear()

    page.send(#"{"input":2,"name":"text","revision":1,"edits":[[0,0,"5"],[0,1,""]]}"#)
    settle()

    #expect(
      page.frames == [
        #"{"ack":2,"revision":2}"#,
        #"{"sequence":2,"patch":[{"op":"replace","path":"/given","value":"<7><5>"},"#
          + #"{"op":"replace","path":"/text","value":"5"}],"#
          + #""edits":{"text":{"revision":2,"steps":[[[0,0,"5"],[0,1,""]]]}}}"#,
      ])
  }

  @Test func `tell what happens once as often as it happens`() {
    let network = SimulatedNetwork(
      seed: 1,
      routes: [
        ScreenRoute(name: "bell", scope: .room) { _ in InputOutputScreen(BellViewModel(), name: "bell") }
      ])
    let page = RawPage(network, "bell")
    network.run(until: .seconds(1))
    let seen = page.frames.count

    for number in 1...3 { page.send(#"{"input":\#(number),"name":"ring"}"#) }
    network.run(until: .seconds(2))

    #expect(page.frames.count == seen + 2)
    #expect(page.values.last?["events"]?.arrayValue?.map { $0["value"] } == [1, 2, 3])
    #expect(page.state["rings"] == 3)
  }

  @Test func `make no turn if nothing is different in the end`() {
    let page = RawPage(network, "number")
    settle()
    page.send(#"{"input":1,"name":"number","value":"7"}"#)
    settle()
    page.clear()

    page.send(#"{"input":2,"name":"roll"}"#)
    page.send(#"{"input":3,"name":"number","value":"7"}"#)
    settle()

    #expect(page.state["number"] == nil)
    #expect(page.frames.first == #"{"ack":3}"#)
    #expect(page.frames.count == 2)
  }

  @Test func `are part of the state of a page that comes between them`() {
    let page = RawPage(network, "number", query: ["edits": "1"])
    settle()
    page.send(edit(1, 0, "1"))
    let late = RawPage(network, "number", query: ["edits": "1"])
    page.send(edit(2, 1, "2"))
    settle()

    #expect(late.frames.count == 2)
    #expect(late.values.last?["sequence"] == 1)
    #expect(late.values.last?["revisions"] == ["number": 2])
    #expect(late.last("snapshot")?["number"] == "120")
  }

  @Test func `and a return between them are apart: the changes before it are a missed turn`() {
    let page = RawPage(network, "number", query: ["edits": "1"])
    let other = RawPage(network, "number", query: ["edits": "1"])
    settle()
    page.link?.drop()
    settle()
    let seen = page.frames.count

    other.send(edit(1, 0, "1"))
    page.resume(["edits": "1"])
    other.send(edit(2, 1, "2"))
    settle()

    let new = page.values[seen...]
    #expect(new.first?["resumed"]?["turns"] == 1)
    #expect(new.compactMap { $0["sequence"] } == [1, 2])
    #expect(new.compactMap { $0["edits"]?["number"]?["revision"] } == [1, 2])
  }

  @Test func `are cut where a turn gets long`() {
    let page = RawPage(network, "patient", query: ["edits": "1"])
    // A room with a single page keeps less.
    _ = RawPage(network, "patient", query: ["edits": "1"])
    settle()
    page.clear()

    let text = String(repeating: "7", count: 5_000)
    for number in 1...8 { page.send(edit(number, 0, text, name: "text")) }
    network.run(until: network.now + .milliseconds(100))

    // Each turn comes behind the acknowledgements of its own steps, and of no others.
    let revisions = page.values.map { $0["revision"] ?? $0["edits"]?["text"]?["revision"] }
    #expect(revisions == [1, 2, 3, 4, 4, 5, 6, 7, 8, 8])
  }
}
