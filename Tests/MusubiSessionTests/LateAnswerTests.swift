// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

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

  @Test func `keeps typing since the question`() {
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

  @Test func `to a question that nobody remembers keeps what people have made of it since`() {
    var text = document("helo you")

    _ = text.answer("hello", to: "helo", sequence: 1)

    #expect(text.text == "hello you")
  }
}
