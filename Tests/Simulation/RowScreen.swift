// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx

/// A ViewModel's treatment of typing into its rows, in simulations of lists.
package enum RowScreen: String, Sendable {
  /// Shows it as it is.
  case keep
  /// Shows it in capitals.
  case capitals
  /// Shows it as it is, some time later.
  case late
  /// Shows it in capitals, of `@Observable` models; schedules with certain seeds have it.
  case model

  /// Those that schedules choose from.
  static let drawn: [RowScreen] = [.keep, .capitals, .late]

  /// The screen's route.
  var route: ScreenRoute {
    ScreenRoute(name: rawValue, scope: .room) { context in
      if self == .model { return ObservableScreen(SimulatedList(try context.restored()), name: rawValue) }
      return RowSimulationView(self, state: try context.restored())
    }
  }

  func rewrite(_ text: String) -> String {
    switch self {
    case .keep, .late: text
    case .capitals, .model: String(String.UnicodeScalarView(text.unicodeScalars.map(Typed.capital)))
    }
  }
}

/// A list in which rows are written, added, removed, brought back and moved.
private final class RowSimulationView: View, Restorable {
  struct Row: Identifiable, Codable, Equatable {
    let id: Int
    /// Tells a row from others that have had its id.
    let life: Int
    var title: String
  }

  struct State: Codable {
    var rows: [Row]
    var removed: [Int] = []
    var lives: Int
  }

  private let list = List<Row>("rows")
  private let add = Button("add")
  private let back = Button("back")
  private let screen: RowScreen
  private let bag = DisposeBag()
  private(set) var state: State

  init(_ screen: RowScreen, state: State?) {
    self.screen = screen
    self.state = state ?? State(rows: (1...3).map { Row(id: $0, life: $0, title: "") }, lives: 3)
  }

  override func viewDidLoad() {
    list.items = state.rows
    let typed = list.rx.text("title")
    let shown =
      screen == .late
      ? typed.delay(.milliseconds(400), scheduler: MainScheduler.instance) : typed.asObservable()
    shown.subscribe(onNext: { [unowned self] typed in
      change(typed.id) { $0.title = screen.rewrite(typed.text) }
    }).disposed(by: bag)
    list.onTap("remove") { [unowned self] (id: Int) in remove(id) }
    list.onTap("bounce") { [unowned self] (id: Int) in bounce(id) }
    list.onTap("stamp") { [unowned self] (id: Int) in
      if screen != .late { change(id) { $0.title += "#" } }
    }
    add.onTap = { [unowned self] in insert(10 + state.lives) }
    // Later than the turn that has removed it.
    back.rx.tap.compactMap { [unowned self] in state.removed.popLast() }
      .delay(.milliseconds(900), scheduler: MainScheduler.instance)
      .subscribe(onNext: { [unowned self] id in insert(id) }).disposed(by: bag)
  }

  private func change(_ id: Int, _ body: (inout Row) -> Void) {
    guard let place = state.rows.firstIndex(where: { $0.id == id }) else { return }
    body(&state.rows[place])
    list.items = state.rows
  }

  private func insert(_ id: Int) {
    state.lives += 1
    state.rows.insert(Row(id: id, life: state.lives, title: "new "), at: state.rows.count / 2)
    list.items = state.rows
  }

  private func remove(_ id: Int) {
    guard let place = state.rows.firstIndex(where: { $0.id == id }), state.rows.count > 1 else { return }
    state.removed.append(id)
    state.rows.remove(at: place)
    list.items = state.rows
  }

  /// Takes the row out and puts it in front, in two steps.
  private func bounce(_ id: Int) {
    guard let place = state.rows.firstIndex(where: { $0.id == id }) else { return }
    let row = state.rows.remove(at: place)
    list.items = state.rows
    state.rows.insert(row, at: 0)
    list.items = state.rows
  }
}
