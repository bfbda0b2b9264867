// SPDX-License-Identifier: Apache-2.0
import Musubi

/// A long list in a table, whose rows are selected.
final class StockViewModel: InputOutputViewModel {
  struct Good: Identifiable, Encodable {
    let id: Int
    let name: String
  }

  struct Inputs: Decodable {
    var selected: Signal<[Int]> = .never()
  }

  struct Outputs: Encodable {
    let goods: Driver<RowArray<Good>>
    let selected: Driver<[Int]>
    let summary: Driver<String>
  }

  func bind(_ inputs: Inputs) -> Outputs {
    let selected = inputs.selected.asDriver(onErrorJustReturn: []).startWith([7])
    return Outputs(
      goods: .just(RowArray((1...5_000).map { Good(id: $0, name: "Good \($0)") })), selected: selected,
      summary: selected.map { $0.map(String.init).joined(separator: " ") })
  }
}
