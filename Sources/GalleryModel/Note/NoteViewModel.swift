// SPDX-License-Identifier: Apache-2.0
public import MusubiBinding
public import MusubiRx

/// Tells who is present at a note that several people write.
///
/// The note itself needs no logic: the field that all share keeps every character.
public final class NoteViewModel {
  /// Somebody who is present, as the page shows it.
  public struct Writer: Encodable, Equatable, Identifiable, Sendable {
    /// Names the person in the room.
    public let id: String
    /// What others call the person.
    public let name: String
    /// The same in Japanese.
    public let nameJa: String
    /// Whether the person does nothing.
    public let isIdle: Bool
    /// Whether the person types into the note.
    public let isTyping: Bool
  }

  /// Those who are present, in the order in which they came.
  public let writers = BehaviorRelay<[Writer]>(value: [])
  /// The number and names of the people present: "2 people: Heron, Otter".
  public let people = BehaviorRelay<String>(value: "")
  /// The same in Japanese: "2人：サギ、カワウソ".
  public let peopleInJapanese = BehaviorRelay<String>(value: "")

  private let nextIndex: (Int) -> Int
  private let text: String
  /// The names that were given to people without one, by their ids; somebody who comes back keeps it.
  public private(set) var names: [String: String]
  private let disposeBag = DisposeBag()

  /// Connects who is present with the outputs.
  ///
  /// - Parameters:
  ///   - presence: Who is present.
  ///   - names: The names that people have already.
  ///   - text: The text that counts as the note.
  ///   - nextIndex: Draws a number from 0 up to, and without, the one that it is given.
  public init(
    presence: Driver<Presence>, names: [String: String] = [:], text: String = "text",
    nextIndex: @escaping (Int) -> Int
  ) {
    self.nextIndex = nextIndex
    self.text = text
    self.names = names
    presence.drive(onNext: { [unowned self] in show($0) }).disposed(by: disposeBag)
  }

  private func show(_ presence: Presence) {
    let writers = presence.people.map { person in
      let name = person.name ?? animal(of: person.id)
      return Writer(
        id: person.id, name: name, nameJa: person.name ?? Self.inJapanese(name), isIdle: person.isIdle,
        isTyping: person.typing == text)
    }
    self.writers.accept(writers)
    let (count, more) = (presence.count, presence.count > writers.count)
    let list = writers.map(\.name).joined(separator: ", ") + (more ? ", …" : "")
    people.accept("\(count) \(count == 1 ? "person" : "people"): \(list)")
    peopleInJapanese.accept("\(count)人：\(writers.map(\.nameJa).joined(separator: "、"))\(more ? "、…" : "")")
  }

  private func animal(of id: String) -> String {
    if let name = names[id] { return name }
    let taken = Set(names.values)
    let free = Self.allNames.map(\.en).filter { !taken.contains($0) }
    let name = free.isEmpty ? "Guest \(names.count + 1)" : free[nextIndex(free.count)]
    names[id] = name
    return name
  }

  /// The name of an animal; a guest's number stays.
  private static func inJapanese(_ name: String) -> String {
    allNames.first { $0.en == name }?.ja ?? "ゲスト\(name.filter(\.isNumber))"
  }

  private static let allNames: [(en: String, ja: String)] = [
    ("Badger", "アナグマ"), ("Bear", "クマ"), ("Crane", "ツル"),
    ("Dolphin", "イルカ"), ("Eagle", "ワシ"), ("Finch", "アトリ"),
    ("Fox", "キツネ"), ("Gecko", "ヤモリ"), ("Hare", "ノウサギ"),
    ("Hedgehog", "ハリネズミ"), ("Heron", "サギ"), ("Ibex", "アイベックス"),
    ("Kingfisher", "カワセミ"), ("Lark", "ヒバリ"), ("Lynx", "オオヤマネコ"),
    ("Magpie", "カササギ"), ("Marten", "テン"), ("Newt", "イモリ"),
    ("Otter", "カワウソ"), ("Owl", "フクロウ"), ("Robin", "コマドリ"),
    ("Seal", "アザラシ"), ("Stork", "コウノトリ"), ("Swift", "アマツバメ"),
    ("Tern", "アジサシ"), ("Toad", "ヒキガエル"), ("Trout", "マス"),
    ("Wolf", "オオカミ"), ("Wren", "ミソサザイ"), ("Yak", "ヤク"),
  ]
}
