// SPDX-License-Identifier: Apache-2.0
import MusubiText
import Testing

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

  @Test func `that says the same again changes nothing, so that it brings back no deletion on its way`() {
    var text = document("1000")
    text.feed(expectsAnswer: true)
    text.feed(expectsAnswer: true)
    _ = text.answer("1,000", to: "1000", sequence: 1)
    #expect(text.text == "1,000")

    #expect(text.answer("1,000", to: "1000", sequence: 2).isEmpty)
  }

  @Test func `stands for its question unit by unit, and ends with what somebody deletes`() {
    var text = document("1234")
    text.feed(expectsAnswer: true)
    _ = text.set("234", sequence: 1, isViewModels: false)

    _ = text.answer("2345", to: "1234", sequence: 2)

    #expect(text.text == "345")
  }

  @Test func `to a question that nobody remembers keeps what people have made of it since`() {
    var text = document("helo you")

    _ = text.answer("hello", to: "helo", sequence: 1)

    #expect(text.text == "hello you")
  }
}
