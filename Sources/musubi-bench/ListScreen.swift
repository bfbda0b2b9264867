// SPDX-License-Identifier: Apache-2.0
import Musubi
import MusubiRx

/// A list of which one row changes at a time, as the ViewModel of an ordinary author would write it.
///
/// It tells its outputs the whole list: which row changed is for Musubi to find out.
final class ListViewModel: InputOutputViewModel {
  struct Row: Encodable, Identifiable, Equatable {
    let id: Int
    var title: String
    let isDone: Bool
  }

  struct Inputs: Decodable {
    let change: Signal<String>
  }

  struct Outputs: Encodable {
    let rows: Driver<[Row]>
  }

  private let rows: BehaviorRelay<[Row]>
  private let disposeBag = DisposeBag()

  /// - Parameter count: How many rows; at least one.
  init(count: Int) {
    rows = BehaviorRelay(value: Self.rows(count))
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.change.emit(onNext: { [rows] text in
      var changed = rows.value
      // A step that shares no factor with the usual counts of rows leads from row to row all over the list.
      changed[(Int(text) ?? 0) &* 7_919 % changed.count].title = text
      rows.accept(changed)
    }).disposed(by: disposeBag)
    return Outputs(rows: rows.asDriver())
  }

  /// Adds both screens; the room's name begins with the number of rows: `1000-a`.
  static func addScreens(to application: inout Application) {
    application.screen("bench-list", scope: .room, page: "number.html") { context in
      ListViewModel(count: count(context.room))
    }
    application.screen("bench-told", scope: .room, page: "number.html") { context in
      TellingListViewModel(count: count(context.room))
    }
  }

  private static func count(_ room: String?) -> Int { room.flatMap { Int($0.prefix { $0.isNumber }) } ?? 1 }

  /// All rows, as they are at first.
  fileprivate static func rows(_ count: Int) -> [Row] {
    (0..<max(1, count)).map { Row(id: $0, title: "title \($0)", isDone: $0.isMultiple(of: 3)) }
  }
}

/// The same list, whose ViewModel tells which row has changed.
final class TellingListViewModel: InputOutputViewModel {
  typealias Inputs = ListViewModel.Inputs

  struct Outputs: Encodable {
    let rows: Driver<RowChange<ListViewModel.Row>>
  }

  private var rows: [ListViewModel.Row]

  /// - Parameter count: How many rows; at least one.
  init(count: Int) { rows = ListViewModel.rows(count) }

  func bind(_ inputs: Inputs) -> Outputs {
    let first = RowChange.reset(rows)
    let changes = inputs.change.map { [unowned self] text in
      let place = (Int(text) ?? 0) &* 7_919 % rows.count
      rows[place].title = text
      return RowChange.update(rows[place], at: place)
    }
    return Outputs(rows: changes.asDriver(onErrorJustReturn: first).startWith(first))
  }
}
