import MusubiRx

/// One pot of an order.
final class PotViewModel: Identifiable {
  struct Inputs: Decodable {
    var more: Signal<Void> = .never()
    var wish: Signal<String> = .never()
  }

  struct Outputs: Encodable {
    let name: Driver<String>
    let cups: Driver<Int>
    let wish: Driver<String>
  }

  let id: Int
  let cups = BehaviorRelay(value: 1)
  private let name: String
  private let wish = BehaviorRelay(value: "")
  private let disposeBag = DisposeBag()

  init(id: Int, name: String) { (self.id, self.name) = (id, name) }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.more.emit(onNext: { [cups] in cups.accept(cups.value + 1) }).disposed(by: disposeBag)
    inputs.wish.emit(to: wish).disposed(by: disposeBag)
    return Outputs(name: .just(name), cups: cups.asDriver(), wish: wish.asDriver())
  }
}

/// What a table orders.
final class OrderViewModel {
  /// A tea that there is.
  struct Tea: Encodable, Identifiable { let id: String }

  struct Inputs: Decodable {
    var add: Signal<Tea.ID> = .never()
    var remove: Signal<PotViewModel.ID> = .never()
  }

  struct Outputs: Encodable {
    let menu: Driver<[Tea]>
    let pots: Driver<[PotViewModel]>
    let total: Driver<Int>
  }

  private let pots = BehaviorRelay<[PotViewModel]>(value: [])
  private var lastID = 0
  private let disposeBag = DisposeBag()

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.add.emit(onNext: { [unowned self] name in
      lastID += 1
      pots.accept(pots.value + [PotViewModel(id: lastID, name: name)])
    }).disposed(by: disposeBag)
    inputs.remove.emit(onNext: { [pots] id in pots.accept(pots.value.filter { $0.id != id }) })
      .disposed(by: disposeBag)
    let total = pots.asDriver().flatMapLatest { pots in
      Driver.combineLatest(pots.map { $0.cups.asDriver() }).map { $0.reduce(0, +) }
    }
    return Outputs(
      menu: .just([Tea(id: "Sencha"), Tea(id: "Darjeeling")]), pots: pots.asDriver(), total: total)
  }
}
