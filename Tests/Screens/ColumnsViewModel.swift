// SPDX-License-Identifier: Apache-2.0
import Musubi

/// Rows that people move: in one list by a handle, and between the lists in another one's rows.
final class ColumnsViewModel: InputOutputViewModel {
  /// A row with a handle, and a text.
  struct Line: Identifiable, Codable, Equatable {
    let id: Int
    var words: String
  }

  /// A row in a row of `Column`.
  struct Card: Identifiable, Codable, Equatable {
    let id: String
    var title: String
  }

  /// A row with rows.
  struct Column: Identifiable, Codable, Equatable {
    let id: String
    var cards: [Card]
  }

  struct Inputs: Decodable {
    var words: Signal<RowText<Int>> = .never()
    var move: Signal<RowMove<Int>> = .never()
    var moveCard: Signal<RowMove<String>> = .never()
    var remove: Signal<Int> = .never()
    var selected: Signal<[Int]> = .never()
  }

  struct Outputs: Encodable {
    let lines: Driver<[Line]>
    let columns: Driver<[Column]>
    let selected: Driver<[Int]>
  }

  private let lines = BehaviorRelay(
    value: ["One", "Two", "Three", "Four"].enumerated().map { Line(id: $0.offset + 1, words: $0.element) })
  private let columns = BehaviorRelay(value: [
    Column(id: "todo", cards: ["a", "b", "c"].map { Card(id: $0, title: "Card \($0)") }),
    Column(id: "doing", cards: []),
    Column(id: "done", cards: [Card(id: "d", title: "Card d")]),
  ])
  private let disposeBag = DisposeBag()

  func bind(_ inputs: Inputs) -> Outputs {
    disposeBag.insert(
      inputs.words.emit(onNext: { [lines] typed in
        lines.accept(lines.value.map { $0.id == typed.id ? Line(id: $0.id, words: typed.text) : $0 })
      }),
      inputs.move.emit(onNext: { [lines] move in
        var moved = lines.value
        // The first row stays the first one.
        guard move.before != 1 else { return }
        moved.apply(move)
        lines.accept(moved)
      }),
      inputs.moveCard.emit(onNext: { [columns] move in
        var moved = columns.value
        guard let from = moved.firstIndex(where: { $0.cards.contains { $0.id == move.id } }),
          let to = moved.firstIndex(where: { $0.id == move.list }),
          let card = moved[from].cards.first(where: { $0.id == move.id })
        else { return }
        if from == to {
          moved[to].cards.apply(move)
        } else if moved[to].cards.insert(card, by: move) {
          moved[from].cards.removeAll { $0.id == move.id }
        }
        columns.accept(moved)
      }),
      inputs.remove.emit(onNext: { [lines] id in lines.accept(lines.value.filter { $0.id != id }) }))
    // The last row is never selected, and at most three are.
    let selected = inputs.selected.map { Array($0.filter { $0 != 4 }.prefix(3)) }.asDriver(
      onErrorJustReturn: [])
    return Outputs(
      lines: lines.asDriver(), columns: columns.asDriver(), selected: selected.startWith([2]))
  }
}
