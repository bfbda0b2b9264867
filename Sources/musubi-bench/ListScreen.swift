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
    rows = BehaviorRelay(
      value: (0..<max(1, count)).map { Row(id: $0, title: "title \($0)", isDone: $0.isMultiple(of: 3)) })
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

  /// Adds the screen; the room's name begins with the number of rows: `1000-a`.
  static func addScreen(to application: inout Application) {
    application.screen("bench-list", scope: .room, page: "number.html") { context in
      ListViewModel(count: context.room.flatMap { Int($0.prefix { $0.isNumber }) } ?? 1)
    }
  }
}
