// SPDX-License-Identifier: Apache-2.0
import Musubi

/// A plan whose cards people move from stage to stage.
final class PlanViewModel: InputOutputViewModel {
  struct Inputs: Decodable {
    var move: Signal<RowMove<Stage.Card.ID>> = .never()
  }

  struct Outputs: Encodable {
    let stages: Driver<[Stage]>
  }

  private let book: PlanBook
  private let disposeBag = DisposeBag()

  init(book: PlanBook) { self.book = book }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.move.emit(onNext: { [book] move in book.move(move) }).disposed(by: disposeBag)
    return Outputs(stages: book.stages.asDriver(onErrorJustReturn: []))
  }
}

extension Application {
  mutating func addPlan(_ book: PlanBook) {
    screen("plan", page: "plan.html") { _ in PlanViewModel(book: book) }
  }
}
