import Musubi

/// One guest's view of a dinner.
final class DinnerViewModel {
  /// The page's inputs.
  struct Inputs: Decodable {
    var name: Signal<String> = .never()
    var bring: Signal<Void> = .never()
    var withdraw: Signal<Int> = .never()
    var onlyMine: Signal<Bool> = .never()
  }

  /// The page's outputs.
  struct Outputs: Encodable {
    let name: Driver<String>
    let onlyMine: Driver<Bool>
    let dishes: Driver<[Dish]>
    let summary: Driver<String>
    let problem: Driver<String>
  }

  private let dinner: Shared<DinnerModel>
  private let guest: String
  private let name = BehaviorRelay(value: "")
  private let onlyMine = BehaviorRelay(value: false)
  private let problem = BehaviorRelay(value: "")
  private let disposeBag = DisposeBag()

  init(dinner: Shared<DinnerModel>, guest: String) {
    self.dinner = dinner
    self.guest = guest
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.name.emit(to: name).disposed(by: disposeBag)
    inputs.onlyMine.emit(to: onlyMine).disposed(by: disposeBag)
    inputs.bring.emit(onNext: { [weak self] in self?.bring() }).disposed(by: disposeBag)
    inputs.withdraw.emit(onNext: { [weak self] id in self?.send(.withdraw(id)) }).disposed(by: disposeBag)
    return Outputs(
      name: name.asDriver(),
      onlyMine: onlyMine.asDriver(),
      dishes: Driver.combineLatest(dinner.dishes, onlyMine.asDriver()) { [guest] dishes, onlyMine in
        dishes.filter { !onlyMine || $0.guest == guest }
      },
      summary: dinner.dishes.map { dishes in "\(dishes.count) on the table" },
      problem: problem.asDriver())
  }

  private func bring() {
    guard !name.value.isEmpty else { return }
    send(.bring(name.value))
    name.accept("")
  }

  private func send(_ command: DinnerModel.Command) {
    dinner.send(command).subscribe(
      onSuccess: { [problem] in problem.accept("") },
      onFailure: { [problem] error in problem.accept("\(error)") }
    ).disposed(by: disposeBag)
  }
}
