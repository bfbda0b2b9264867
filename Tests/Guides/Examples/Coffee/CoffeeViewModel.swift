import MusubiRx

/// Takes an order for a coffee.
final class CoffeeViewModel {
  /// The order, such as "A large coffee for Ann."; asks who it is for until that is known.
  let order: Driver<String>
  /// Whether enough is known to make it.
  let canOrder: Driver<Bool>
  /// How many coffees were ordered.
  let count = BehaviorRelay(value: 0)

  private let disposeBag = DisposeBag()

  init(name: Observable<String?>, size: Observable<Int>, tap: Observable<Void>) {
    let words = ["small", "medium", "large"]
    let choice = Observable.combineLatest(name.map { $0 ?? "" }, size.startWith(1))

    order =
      choice
      .map { name, size in name.isEmpty ? "Who is it for?" : "A \(words[size]) coffee for \(name)." }
      .asDriver(onErrorJustReturn: "")
    canOrder = choice.map { name, _ in !name.isEmpty }.asDriver(onErrorJustReturn: false)

    tap
      .subscribe(onNext: { [count] in count.accept(count.value + 1) })
      .disposed(by: disposeBag)
  }
}
