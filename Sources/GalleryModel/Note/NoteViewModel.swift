// SPDX-License-Identifier: Apache-2.0
import enum Dispatch.DispatchTimeInterval
public import MusubiRx

/// Tells who is present at a note that several people write.
///
/// The note itself needs no logic: the field that all share keeps every character.
public final class NoteViewModel {
  /// A page that is connected, or no longer is.
  public struct Presence: Equatable, Sendable {
    /// Names the page.
    public var page: Int
    /// Whether it is connected.
    public var isConnected: Bool

    /// A page's news.
    ///
    /// - Parameters:
    ///   - page: Names the page.
    ///   - isConnected: Whether it is connected.
    public init(page: Int, isConnected: Bool) {
      self.page = page
      self.isConnected = isConnected
    }
  }

  /// The number and names of the people present: "2 people: Heron, Otter".
  public let people = BehaviorRelay<String>(value: "")
  /// The same in Japanese: "2人：サギ、カワウソ".
  public let peopleInJapanese = BehaviorRelay<String>(value: "")

  private let nextIndex: (Int) -> Int
  /// The names that were given to pages; a page keeps its own.
  public private(set) var names: [Int: String]
  private var present: Set<Int> = []
  private let disposeBag = DisposeBag()

  /// Connects the pages' news with the outputs.
  ///
  /// - Parameters:
  ///   - presence: The pages that come and go.
  ///   - scheduler: Whose clock lets a page that reloads come back before it is missed.
  ///   - names: The names that pages have already.
  ///   - nextIndex: Draws a number from 0 up to, and without, the one that it is given.
  public init(
    presence: Observable<Presence>, scheduler: any SchedulerType, names: [Int: String] = [:],
    nextIndex: @escaping (Int) -> Int
  ) {
    self.nextIndex = nextIndex
    self.names = names

    presence
      .filter(\.isConnected)
      .subscribe(onNext: { [weak self] news in self?.enter(news.page) })
      .disposed(by: disposeBag)

    presence
      .groupBy { $0.page }
      .flatMap { $0.debounce(Self.grace, scheduler: scheduler) }
      .filter { !$0.isConnected }
      .subscribe(onNext: { [weak self] news in self?.leave(news.page) })
      .disposed(by: disposeBag)
  }

  /// How long a page may be away before its person counts as gone.
  private static let grace = RxTimeInterval.seconds(5)

  private func enter(_ page: Int) {
    if names[page] == nil { names[page] = newName() }
    present.insert(page)
    show()
  }

  private func leave(_ page: Int) {
    present.remove(page)
    show()
  }

  private func newName() -> String {
    let taken = Set(names.values)
    let free = Self.allNames.map(\.en).filter { !taken.contains($0) }
    return free.isEmpty ? "Guest \(names.count + 1)" : free[nextIndex(free.count)]
  }

  private func show() {
    let list = present.sorted().compactMap { names[$0] }
    people.accept("\(list.count) \(list.count == 1 ? "person" : "people"): \(list.joined(separator: ", "))")
    peopleInJapanese.accept("\(list.count)人：\(list.map(Self.inJapanese).joined(separator: "、"))")
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
