// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiSession

/// A list whose rows are edited, with all that can happen to rows meanwhile; it survives.
final class RowsView: View, Restorable {
  struct Row: Identifiable, Codable, Equatable {
    let id: Int
    var title: String
    var tasks: [Task] = []
  }

  struct Task: Identifiable, Codable, Equatable {
    let id: Int
    var task: String
  }

  /// A row of another list, whose id has what pointers escape.
  struct Tag: Identifiable, Codable, Equatable {
    let id: String
    var tag: String
  }

  /// The treatment of typing.
  enum Kind {
    /// It is shown.
    case keep
    /// It is shown in capitals.
    case capitals
    /// It is shown without digits.
    case noDigits
    /// It is shown after a second.
    case late
  }

  private let list = List<Row>("rows")
  private let tags = List<Tag>("tags")
  private let kind: Kind
  private let bag = DisposeBag()

  init(_ kind: Kind, rows: [Row]? = nil) {
    self.kind = kind
    state = rows ?? Self.rows
  }

  static let rows = [
    Row(id: 1, title: "one"),
    Row(id: 2, title: "two", tasks: [Task(id: 7, task: "sow"), Task(id: 8, task: "reap")]),
    Row(id: 3, title: "three"),
  ]

  var state: [Row] { didSet { list.items = state } }

  private let buttons = (
    remove: Button("removeLast"), add: Button("addThree"), reverse: Button("reverse"), shout: Button("shout"),
    carry: Button("carryFirst")
  )

  override func viewDidLoad() {
    list.items = state
    list.onText("title") { [unowned self] id, text in write(id, text) }
    tags.items = [Tag(id: "a/b~", tag: "old")]
    tags.onText("tag") { _, _ in }
    list.rx.text("task").subscribe(onNext: { _ in }).disposed(by: bag)
    list.onTap("remove") { [unowned self] (id: Int) in state.removeAll { $0.id == id } }
    buttons.remove.onTap = { [unowned self] in state.removeLast() }
    buttons.add.onTap = { [unowned self] in state.insert(Row(id: 3, title: "again"), at: 0) }
    buttons.reverse.onTap = { [unowned self] in state.reverse() }
    buttons.carry.onTap = { [unowned self] in state.append(state.removeFirst()) }
    buttons.shout.onTap = { [unowned self] in
      state = state.map { Row(id: $0.id, title: $0.title.uppercased(), tasks: $0.tasks) }
    }
  }

  private func write(_ id: Int, _ text: String) {
    switch kind {
    case .keep: set(id, text)
    case .capitals: set(id, text.uppercased())
    case .noDigits: set(id, text.filter { !$0.isNumber })
    case .late:
      Observable.just(text).delay(.seconds(1), scheduler: MainScheduler.instance)
        .subscribe(onNext: { [unowned self] text in set(id, text) }).disposed(by: bag)
    }
  }

  private func set(_ id: Int, _ text: String) {
    guard let place = state.firstIndex(where: { $0.id == id }) else { return }
    state[place].title = text
  }
}

extension ScreenRoute {
  static func rows(_ kind: RowsView.Kind, name: String = "rows", rows: [RowsView.Row]? = nil) -> ScreenRoute {
    ScreenRoute(name: name, scope: .room) { context in
      RowsView(kind, rows: try context.restored() ?? rows)
    }
  }
}
