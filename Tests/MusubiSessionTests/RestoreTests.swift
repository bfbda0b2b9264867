// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

@Suite struct `A server that lost its memory` {
  private let network: SimulatedNetwork
  private let page: RawPage

  init() {
    network = SimulatedNetwork(seed: 4, routes: [.number])
    page = RawPage(network, "number", query: ["edits": "1"])
    settle()
    page.send(#"{"input":1,"name":"number","revision":0,"edits":[[0,1,"42"]]}"#)
    settle()
    network.restartServer()
    settle()
  }

  private func settle() { network.run(until: network.now + .seconds(1)) }

  /// Comes back to a new session and tells it a text.
  private func restore(_ page: RawPage, _ epoch: String, revision: Int, _ pieces: [String]) {
    for piece in pieces {
      page.send(
        #"{"restore":{"epoch":"\#(epoch)","name":"number","revision":\#(revision),"text":"\#(piece)"}}"#)
    }
    page.send(#"{"restore":{}}"#)
    settle()
  }

  private func field(_ page: RawPage) -> String? { page.last("snapshot")?["number.field"]?.stringValue }

  @Test func `takes a text that nobody has touched from the first page`() {
    page.resume(["edits": "1"])
    settle()
    restore(page, "E", revision: 1, ["4", "2"])

    #expect(page.values.last?["snapshot"]?["label"] == "42")
    #expect(page.last("hello")?["restored"] == ["number"])
  }

  @Test func `adds what a page knows that had seen more, and nothing of one that had seen less`() {
    let late = RawPage(network, "number", query: ["edits": "1"])
    let early = RawPage(network, "number", query: ["edits": "1"])
    settle()
    network.restartServer()
    settle()
    for page in [page, late, early] { page.resume(["edits": "1"]) }
    settle()

    restore(page, "E", revision: 5, ["42"])
    restore(late, "E", revision: 6, ["427"])
    restore(early, "E", revision: 4, ["4"])

    #expect(field(late) == "427")
    #expect(field(early) == "427")
    #expect(early.last("hello")?["restored"] == ["number"])
  }

  @Test func `leaves a text alone that others have begun anew`() {
    let visitor = RawPage(network, "number", query: ["edits": "1"])
    settle()
    visitor.send(#"{"input":1,"name":"number","revision":0,"edits":[[0,1,"9"]]}"#)
    settle()
    page.resume(["edits": "1"])
    settle()

    restore(page, "E", revision: 1, ["42"])

    #expect(field(page) == "9")
    #expect(page.last("hello")?["restored"] == [])
  }

  @Test func `takes texts from a page that could not resume, before its first input, and once`() {
    page.send(#"{"restore":{}}"#)
    let fresh = RawPage(network, "number", query: ["edits": "1"])
    settle()
    fresh.send(#"{"restore":{}}"#)
    settle()

    #expect(fresh.closeCode == CloseCode.protocolMismatch.rawValue)
  }
}

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

@Suite struct `A late answer` {
  private func document(_ text: String) -> SharedText { SharedText(name: "t", text: text, historyLimit: 8) }

  @Test func `keeps what was typed since the question`() {
    var text = document("helo")
    text.ask()
    _ = text.set("helo wor", sequence: 1, isViewModels: false)
    text.ask()

    _ = text.answer("hello", to: "helo", sequence: 2)
    #expect(text.text == "hello wor")
    _ = text.answer("hello wor", to: "helo wor", sequence: 3)

    #expect(text.text == "hello wor")
  }

  @Test func `takes the place of what the ViewModel made of older questions`() {
    var text = document("ab")
    text.ask()
    text.ask()
    _ = text.answer("AB", to: "ab", sequence: 1)
    #expect(text.text == "AB")

    _ = text.answer("x", to: "ab", sequence: 2)

    #expect(text.text == "x")
  }

  @Test func `to a question that nobody remembers is merged, and what both have put right is right once`() {
    var text = document("hello you")

    _ = text.answer("hello", to: "helo", sequence: 1)

    #expect(text.text == "hello you")
  }
}
