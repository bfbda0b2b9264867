// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiWire
import Testing

/// A row that refuses to be encoded if its text is "secret".
struct Letter: Identifiable, Encodable {
  let id: Int
  var text: String

  private enum CodingKeys: CodingKey { case id, text }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    guard text != "secret" else {
      throw EncodingError.invalidValue(
        text, .init(codingPath: container.codingPath, debugDescription: "it is secret"))
    }
    try container.encode(text, forKey: .text)
  }
}

private struct Question: DialogContent {
  let letter: Letter
}

private final class LettersViewModel: InputOutputViewModel {
  struct Inputs: Decodable { let set: Signal<String> }
  struct Outputs: Encodable {
    let letters: Driver<[Letter]>
    let count: Driver<Int>
    let arrived: Signal<Letter>
    let askOpen: Signal<Question>
  }

  func bind(_ inputs: Inputs) -> Outputs {
    let letters = inputs.set.map { [Letter(id: 7, text: "a"), Letter(id: 8, text: $0)] }
    return Outputs(
      letters: letters.asDriver(onErrorJustReturn: []),
      count: inputs.set.map(\.count).asDriver(onErrorJustReturn: 0),
      arrived: letters.compactMap(\.last), askOpen: letters.compactMap(\.last).map(Question.init))
  }
}

private final class LettersView: View {
  let letters = List<Letter>("letters")
}

@Suite struct `A value that refuses to be encoded` {
  private let screen: ScreenInstance

  init() throws {
    let route = ScreenRoute(name: "letters", scope: .session) { _ in
      InputOutputScreen(LettersViewModel(), name: "letters")
    }
    screen = try ScreenInstance(
      route,
      context: ScreenContext(screen: "letters", clock: MainScheduler.instance, random: RandomSource(seed: 1)))
  }

  private func output(_ name: String) -> Value? { screen.board.slots.first { $0.name == name }?.value }

  @Test func `leaves its output as it was, and is reported with name, row and reason`() throws {
    try screen.deliver("set", "b")
    #expect(screen.board.takeProblems() == [])
    _ = (screen.board.takeEvents(), screen.board.takeRequests())

    try screen.deliver("set", "secret")

    #expect(output("letters") == [["id": 7, "text": "a"], ["id": 8, "text": "b"]])
    #expect(output("count") == 6)
    #expect(screen.board.takeEvents().isEmpty)
    #expect(screen.board.takeRequests().isEmpty)
    #expect(
      screen.board.takeProblems() == [
        #"the output "letters" keeps its old value: row 1 with the id "8": it is secret"#,
        #"the event "arrived" was not sent: it is secret"#,
        #"the question "askOpen" was not asked: "letter": it is secret"#,
      ])
  }

  @Test func `leaves the rows of a list outlet as they were`() throws {
    let builder = ScreenBuilder()
    let view = builder.collect { LettersView() }
    view.letters.items = [Letter(id: 7, text: "a")]

    view.letters.items = [Letter(id: 8, text: "b"), Letter(id: 9, text: "secret")]

    #expect(view.letters.items.map(\.id) == [7])
    #expect(builder.board.slots[0].value == [["id": 7, "text": "a"]])
    #expect(
      builder.board.takeProblems() == [
        #"the output "letters" keeps its old rows: row 1 with the id "9": it is secret"#
      ])
  }
}
