// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiSession

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
  ///
  /// - Parameter isLong: Whether pages look at some rows of the list.
  /// - Returns: The route.
  func route(isLong: Bool) -> ScreenRoute {
    ScreenRoute(name: rawValue, scope: .room) { context in
      if self == .model { return ObservableScreen(SimulatedList(try context.restored()), name: rawValue) }
      return RowSimulationView(self, isLong: isLong, state: try context.restored())
    }
  }

  /// The slot of its one room.
  var slot: Int { RoomKey(screen: rawValue, name: "lobby", isPrivate: false).slot }

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

  private let list: any SimulatedRows
  private let add = Button("add")
  private let back = Button("back")
  private let screen: RowScreen
  private let bag = DisposeBag()
  private let isLong: Bool
  private(set) var state: State

  init(_ screen: RowScreen, isLong: Bool, state: State?) {
    self.screen = screen
    self.isLong = isLong
    list = isLong ? WindowedList<RowArray<Row>>("rows") : List<Row>("rows")
    self.state = state ?? State(rows: (1...3).map { Row(id: $0, life: $0, title: "") }, lives: 3)
  }

  override func viewDidLoad() {
    list.show(state.rows)
    let typed = list.typed
    let shown =
      screen == .late
      ? typed.delay(.milliseconds(400), scheduler: MainScheduler.instance) : typed.asObservable()
    shown.subscribe(onNext: { [unowned self] typed in
      change(typed.id) { $0.title = screen.rewrite(typed.text) }
    }).disposed(by: bag)
    list.onRowTap("remove") { [unowned self] (id: Int) in remove(id) }
    list.onRowTap("bounce") { [unowned self] (id: Int) in bounce(id) }
    list.onRowTap("stamp") { [unowned self] (id: Int) in
      if screen != .late { change(id) { $0.title += "#" } }
    }
    add.onTap = { [unowned self] in insert(10 + state.lives) }
    // Later than the turn that has removed it.
    back.rx.tap.compactMap { [unowned self] in state.removed.popLast() }
      .delay(.milliseconds(900), scheduler: MainScheduler.instance)
      // The id of a long list's row names one row for ever.
      .subscribe(onNext: { [unowned self] id in insert(isLong ? 10 + state.lives : id) }).disposed(by: bag)
  }

  private func change(_ id: Int, _ body: (inout Row) -> Void) {
    guard let place = state.rows.firstIndex(where: { $0.id == id }) else { return }
    body(&state.rows[place])
    list.show(state.rows)
  }

  private func insert(_ id: Int) {
    state.lives += 1
    state.rows.insert(Row(id: id, life: state.lives, title: "new "), at: state.rows.count / 2)
    list.show(state.rows)
  }

  private func remove(_ id: Int) {
    guard let place = state.rows.firstIndex(where: { $0.id == id }), state.rows.count > 1 else { return }
    state.removed.append(id)
    state.rows.remove(at: place)
    list.show(state.rows)
  }

  /// Takes the row out and puts it in front, in two steps.
  private func bounce(_ id: Int) {
    guard let place = state.rows.firstIndex(where: { $0.id == id }) else { return }
    let row = state.rows.remove(at: place)
    list.show(state.rows)
    state.rows.insert(row, at: 0)
    list.show(state.rows)
  }
}

/// The list of a simulation, of one kind or another.
private protocol SimulatedRows {
  func show(_ rows: [RowSimulationView.Row])
  var typed: ControlEvent<RowText<Int>> { get }
  func onRowTap(_ input: String, _ take: @escaping (Int) -> Void)
}

extension List: SimulatedRows where Row == RowSimulationView.Row {
  fileprivate func show(_ rows: [RowSimulationView.Row]) { items = rows }
  fileprivate var typed: ControlEvent<RowText<Int>> { rx.text("title") }
  fileprivate func onRowTap(_ input: String, _ take: @escaping (Int) -> Void) { onTap(input) { take($0) } }
}

extension WindowedList: SimulatedRows where Rows == RowArray<RowSimulationView.Row> {
  fileprivate func show(_ rows: [RowSimulationView.Row]) { self.rows = RowArray(rows) }
  fileprivate var typed: ControlEvent<RowText<Int>> { rx.text("title") }
  fileprivate func onRowTap(_ input: String, _ take: @escaping (Int) -> Void) { onTap(input) { take($0) } }
}
