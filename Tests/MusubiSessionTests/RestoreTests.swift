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
  private func restore(
    _ page: RawPage, _ epoch: String, revision: Int, _ pieces: [String], by: String = "{}",
    author: String = "", last: Int = 0
  ) {
    for piece in pieces {
      page.send(
        #"{"restore":{"epoch":"\#(epoch)","name":"number","revision":\#(revision),"text":"\#(piece)","by":\#(by)}}"#
      )
    }
    page.send(#"{"restore":{"author":"\#(author)","last":\#(last)}}"#)
    settle()
  }

  /// Two more pages that have lost their sessions.
  private func returned() -> (RawPage, RawPage) {
    let pages = (
      RawPage(network, "number", query: ["edits": "1"]), RawPage(network, "number", query: ["edits": "1"])
    )
    settle()
    network.restartServer()
    settle()
    pages.0.resume(["edits": "1"])
    pages.1.resume(["edits": "1"])
    settle()
    return pages
  }

  @Test func `tells a page which of its inputs another one has seen taken`() {
    let (ann, bob) = returned()

    restore(bob, "E", revision: 6, ["427"], by: #"{"ann":9}"#, author: "bob", last: 3)
    restore(ann, "E", revision: 5, ["42"], author: "ann", last: 9)

    #expect(ann.last("hello")?["restored"] == ["number": 9])
    #expect(field(ann) == "427")
  }

  @Test func `takes once what a page sends again and another one has seen taken`() {
    let (ann, bob) = returned()

    // Bob comes between what Ann was told and what she sends.
    restore(ann, "E", revision: 5, ["42"], author: "ann", last: 9)
    restore(bob, "E", revision: 6, ["427"], by: #"{"ann":9}"#, author: "bob", last: 3)
    ann.send(#"{"input":9,"name":"number","revision":1,"edits":[[2,0,"7"]]}"#)
    ann.send(#"{"input":10,"name":"number","revision":1,"edits":[[3,0,"8"]]}"#)
    settle()
    let witness = RawPage(network, "number", query: ["edits": "1"])
    settle()

    #expect(field(witness) == "4278")
  }

  @Test func `adds what came later around what was sent again`() {
    let (ann, bob) = returned()

    restore(ann, "E", revision: 5, ["42"], author: "ann", last: 9)
    ann.send(#"{"input":9,"name":"number","revision":1,"edits":[[2,0,"7"]]}"#)
    ann.send(#"{"input":10,"name":"number","revision":1,"edits":[[3,0,"8"]]}"#)
    settle()
    restore(bob, "E", revision: 7, ["6427"], by: #"{"ann":9,"eve":1}"#, author: "bob", last: 3)

    #expect(field(bob) == "64278")
  }

  private func field(_ page: RawPage) -> String? { page.last("snapshot")?["number.field"]?.stringValue }

  @Test func `takes a text that nobody has touched from the first page`() {
    page.resume(["edits": "1"])
    settle()
    restore(page, "E", revision: 1, ["4", "2"])

    #expect(page.values.last?["snapshot"]?["label"] == "42")
    #expect(page.last("hello")?["restored"] == ["number": 0])
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
    #expect(early.last("hello")?["restored"] == ["number": 0])
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
    #expect(page.last("hello")?["restored"] == [:])
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

@Suite struct `A text that was given back` {
  private func known(_ text: String, _ revision: Int) -> ClientFrame.Restore {
    ClientFrame.Restore(epoch: "E", name: "t", revision: revision, text: text)
  }

  @Test func `and rewritten since keeps its places for what a later page knows`() {
    var text = SharedText(name: "t", text: "", historyLimit: 8)
    _ = text.restore(known("abcd", 1), sequence: 1)
    _ = text.set("ABCD", sequence: 2)

    _ = text.restore(known("Abxcd", 2), sequence: 3)
    #expect(text.text == "ABxCD")
    _ = text.restore(known("ABxCDy", 3), sequence: 4)

    #expect(text.text == "ABxCDy")
  }

  @Test func `loses nothing to a page that comes after thousands of steps`() {
    var text = SharedText(name: "t", text: "", historyLimit: 8)
    _ = text.restore(known("ab", 1), sequence: 1)
    for number in 1...4_100 { _ = text.set("ab\(number)", sequence: number + 1, isViewModels: false) }

    _ = text.restore(known("axb", 2), sequence: 5_000)

    #expect(text.text == "axb4100")
  }
}

@Suite struct `A late answer` {
  private func document(_ text: String) -> SharedText { SharedText(name: "t", text: text, historyLimit: 8) }

  @Test func `keeps what was typed since the question`() {
    var text = document("helo")
    text.feed(expectsAnswer: true)
    _ = text.set("helo wor", sequence: 1, isViewModels: false)
    text.feed(expectsAnswer: true)

    _ = text.answer("hello", to: "helo", sequence: 2)
    #expect(text.text == "hello wor")
    _ = text.answer("hello wor", to: "helo wor", sequence: 3)

    #expect(text.text == "hello wor")
  }

  @Test func `takes the place of what the ViewModel made of older questions`() {
    var text = document("ab")
    text.feed(expectsAnswer: true)
    text.feed(expectsAnswer: true)
    _ = text.answer("AB", to: "ab", sequence: 1)
    #expect(text.text == "AB")

    _ = text.answer("x", to: "ab", sequence: 2)

    #expect(text.text == "x")
  }

  @Test func `brings nothing back that was deleted since the question`() {
    var text = document("abcd")
    text.feed(expectsAnswer: true)
    _ = text.set("abc", sequence: 1, isViewModels: false)
    text.feed(expectsAnswer: true)

    _ = text.answer("ABCD", to: "abcd", sequence: 2)
    #expect(text.text == "ABC")
    _ = text.set("AC", sequence: 3, isViewModels: false)
    _ = text.answer("ABC", to: "abc", sequence: 4)

    #expect(text.text == "AC")
  }

  @Test func `is an edit of its question, and leaves the rest where it is`() {
    var text = document("abcd")
    text.feed(expectsAnswer: true)
    _ = text.set("abxcd", sequence: 1, isViewModels: false)

    let steps = text.answer("ABCD", to: "abcd", sequence: 2)

    #expect(text.text == "ABxCD")
    #expect(
      steps == [
        TextEdit([
          .init(position: 0, deleted: 2, inserted: "AB"), .init(position: 3, deleted: 2, inserted: "CD"),
        ])
      ])
  }

  @Test func `to a question that nobody remembers is merged, and what both have put right is right once`() {
    var text = document("hello you")

    _ = text.answer("hello", to: "helo", sequence: 1)

    #expect(text.text == "hello you")
  }
}
