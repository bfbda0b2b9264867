// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import Testing

private struct Item: Identifiable, Codable, Equatable {
  let id: Int
  var title: String
  var isDone = false
}

/// Rows in outlets, both with Rx and without.
private final class ItemsView: View {
  let items = List<Item>("items")
  private(set) var typed: [RowText<Int>] = []
  private(set) var called: [String] = []
  private let bag = DisposeBag()

  override func viewDidLoad() {
    items.items = [Item(id: 1, title: "one"), Item(id: 2, title: "two")]
    items.rx.text("title").subscribe(onNext: { [unowned self] in typed.append($0) }).disposed(by: bag)
    items.onText("note") { [unowned self] id, text in called.append("\(id): \(text)") }
  }
}

/// Two lists with rows of any kind, and an input for a text of theirs.
private final class TwoLists<One: Encodable & Sendable, Other: Encodable & Sendable> {
  struct Inputs: Decodable { var title: Signal<RowText<String>> = .never() }

  struct Outputs: Encodable {
    let ones: Driver<[One]>
    let others: Driver<[Other]>
  }

  private let others: [Other]

  init(others: [Other] = []) { self.others = others }

  func bind(_ inputs: Inputs) -> Outputs { Outputs(ones: .just([]), others: .just(others)) }
}

extension TwoLists: InputOutputViewModel {}

/// The same, whose screen has a text of that name itself.
private final class OwnTitle {
  struct Inputs: Decodable { var title: Signal<String> = .never() }

  struct Outputs: Encodable {
    let title: Driver<String>
    let ones: Driver<[Item]>
    let others: Driver<[Item]>
  }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(title: .just(""), ones: .just([]), others: .just([]))
  }
}

extension OwnTitle: InputOutputViewModel {}

/// A row whose text is there, and not in its type.
private struct Computed: Encodable, Sendable {
  private enum CodingKeys: CodingKey { case id, title }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(1, forKey: .id)
    try container.encode("made", forKey: .title)
  }
}

private struct Plain: Identifiable, Codable, Equatable, Sendable {
  let id: Int
  var amount: Int
}

private struct Group: Identifiable, Encodable, Sendable {
  let id: Int
  let items: [Item]
}

@Suite struct `Texts in rows` {
  @Test func `tell outlets the row and the text`() throws {
    var made: ItemsView?
    let screen = try TestScreen {
      let view = ItemsView()
      made = view
      return view
    }
    let view = try #require(made)

    try screen.type("eins", into: "title", row: "1")
    try screen.type("hm", into: "note", row: "2")

    #expect(view.typed == [RowText(id: 1, text: "eins")])
    #expect(view.called == ["2: hm"])
    #expect(throws: (any Error).self) { try screen.type("x", into: "title", row: "9") }
  }

  private func problem<ViewModel: InputOutputViewModel & SendableMetatype>(
    _ make: @escaping @Sendable () -> ViewModel
  ) -> String? {
    let route = ScreenRoute(name: "lists", scope: .session) { _ in InputOutputScreen(make(), name: "lists") }
    do {
      _ = try route.probe(
        ScreenContext(screen: "lists", clock: MainScheduler.instance, random: RandomSource(seed: 1)))
      return nil
    } catch {
      return "\(error)"
    }
  }

  private static func sentence(_ one: String, _ other: String) -> String {
    "Screen \"lists\": the rows of the lists \"\(one)\" and \"\(other)\" both have a text \"title\", and the input "
      + "\"title\" would be of either: give one of them another name."
  }

  @Test func `of two lists may not have the same name`() {
    #expect(problem { TwoLists<Item, Item>() } == Self.sentence("ones", "others"))
    #expect(problem { TwoLists<Item, Group>() } == Self.sentence("ones", "others/items"))
    #expect(problem { TwoLists<Item, Computed>(others: [Computed()]) } == Self.sentence("ones", "others"))
  }

  @Test func `may have the name of an output that is no text, or of a text of the screen`() {
    #expect(problem { TwoLists<Item, Plain>() } == nil)
    #expect(problem { OwnTitle() } == nil)
  }
}
