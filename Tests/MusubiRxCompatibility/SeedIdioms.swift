// SPDX-License-Identifier: Apache-2.0

// What ViewModels and Views written for RxSwift say, in Swift 5 mode; that this file compiles is the test.

import Dispatch
import MusubiRx

protocol RandomModel {
  func generateRandomInt(from: Int, to: Int) -> Observable<Int>
}

final class NumberViewModel {
  let number = BehaviorRelay<String>(value: "0")
  private let buttonTap = PublishSubject<Void>()
  private let disposeBag = DisposeBag()

  init(text: Observable<String?>, tap: Observable<Void>, model: RandomModel) {
    let typed = text.flatMap { $0.map(Observable.just) ?? .empty() }.filter { !$0.isEmpty }
    disposeBag.insert(
      typed.bind(to: number),
      tap.bind(to: buttonTap),
      buttonTap.flatMapLatest { _ in model.generateRandomInt(from: 1, to: 100) }
        .map { String($0) }
        .subscribe(onNext: { [weak self] in self?.number.accept($0) })
    )
  }
}

final class ContentsViewModel {
  struct Inputs {
    let tapButton: Signal<Void>
    let inputText: Signal<String>
    let viewDidLoad: Signal<Void>

    init(
      tapButton: Signal<Void> = .never(), inputText: Signal<String> = .never(),
      viewDidLoad: Signal<Void> = .never()
    ) {
      self.tapButton = tapButton
      self.inputText = inputText
      self.viewDidLoad = viewDidLoad
    }
  }

  struct Outputs {
    let title: Driver<String>
    let error: Signal<String>
  }

  final class Model {
    private let relay = BehaviorRelay<[String]>(value: [])
    private(set) var fetched = 0
    var contents: Observable<[String]> { relay.asObservable() }

    func fetch() { fetched += 1 }
    func post(_ text: String) { relay.accept(relay.value + [text]) }
  }

  let model = Model()
  private let disposeBag = DisposeBag()

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.viewDidLoad.emit(onNext: model.fetch).disposed(by: disposeBag)
    inputs.tapButton.withLatestFrom(inputs.inputText)
      .emit(onNext: { [weak self] in self?.model.post($0) })
      .disposed(by: disposeBag)
    return Outputs(
      title: model.contents.map { "\($0.count)" }.asDriver(onErrorJustReturn: ""),
      error: .empty())
  }
}

final class Label: ReactiveCompatible {
  var text: String? = nil
}

final class TextField: ReactiveCompatible {
  let changes = BehaviorRelay<String?>(value: nil)
  var text: String? = nil
}

extension Reactive where Base: TextField {
  var value: ControlProperty<String?> {
    ControlProperty(values: base.changes, valueSink: Binder(base) { $0.text = $1 })
  }
}

final class Button {
  let taps = PublishRelay<Void>()
}

extension Button: ReactiveCompatible {}

extension Reactive where Base: Button {
  var tap: ControlEvent<Void> { ControlEvent(events: base.taps) }
}

final class TextView {
  let field = TextField()
}

final class ContentsView: ReactiveCompatible {
  var title = ""
  var detail: String?
  let text = TextField()
  let button = Button()
  let label = Label()
  private let viewModel = ContentsViewModel()
  private let disposeBag = DisposeBag()

  func load() {
    let outputs = viewModel.bind(
      .init(
        tapButton: button.rx.tap.asSignal(), inputText: text.rx.value.orEmpty.asSignal(),
        viewDidLoad: .just(())))
    outputs.title.drive(rx[\.title]).disposed(by: disposeBag)
    outputs.title.drive(label.rx.text).disposed(by: disposeBag)
    outputs.title.map(Optional.some).drive(rx[\.detail]).disposed(by: disposeBag)
    outputs.error.emit(to: rx.title).disposed(by: disposeBag)
    button.rx.tap.bind { [weak self] in self?.detail = "tapped" }.disposed(by: disposeBag)
    button.rx.tap.asDriver().drive(onNext: { _ in }).disposed(by: disposeBag)
  }

  var posted: Int { viewModel.model.fetched }
}

/// Reached by a requirement, which is not deprecated, so that nothing but `OlderNames` itself uses deprecated names.
protocol Sample {
  static func all(_ source: Observable<Int>) -> [Observable<Int>]
  static func variable() -> [Int]
}

enum OlderNames: Sample {
  @available(*, deprecated, message: "Calls deprecated names on purpose.")
  static func all(_ source: Observable<Int>) -> [Observable<Int>] {
    [
      source.catchError { _ in .just(1) },
      source.catchErrorJustReturn(1),
      source.takeUntil(Observable<Void>.never()),
      source.takeUntil(.inclusive) { $0 > 3 },
      source.takeWhile { $0 < 3 },
      source.skipWhile { $0 < 3 },
      source.skipUntil(Observable<Void>.just(())),
      source.elementAt(0),
      source.observeOn(MainScheduler.instance),
      source.retryWhen { (errors: Observable<Error>) in errors },
      source.asSingle().catchErrorJustReturn(2).asObservable(),
    ]
  }

  @available(*, deprecated, message: "Calls deprecated names on purpose.")
  static func variable() -> [Int] {
    var seen: [Int] = []
    do {
      let variable = Variable(1)
      _ = variable.asObservable().subscribe(onNext: { seen.append($0) }, onCompleted: { seen.append(-1) })
      variable.value = 2
      seen.append(variable.value)
    }
    return seen
  }
}
