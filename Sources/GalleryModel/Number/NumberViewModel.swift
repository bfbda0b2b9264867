// SPDX-License-Identifier: Apache-2.0
public import MusubiRx

/// A number that is typed or drawn by chance.
public final class NumberViewModel {
  /// The number, as it is shown.
  public let number: BehaviorRelay<String>
  /// One event for each press of the button.
  public let buttonEvents = PublishSubject<Void>()

  private let model: any NumberModel
  private let disposeBag = DisposeBag()

  /// Connects the View's inputs with its outputs.
  ///
  /// - Parameters:
  ///   - numberText: The text of the field; nil and an empty text change nothing.
  ///   - buttonTap: The presses of the button.
  ///   - model: Where random numbers come from.
  ///   - first: The first number.
  public init(
    numberText: Observable<String?>, buttonTap: Observable<Void>, model: any NumberModel,
    number first: String = "0"
  ) {
    self.model = model
    self.number = BehaviorRelay(value: first)

    numberText
      .compactMap { $0 }
      .filter { !$0.isEmpty }
      .bind(to: number)
      .disposed(by: disposeBag)

    buttonTap
      .bind(to: buttonEvents)
      .disposed(by: disposeBag)

    buttonEvents
      .flatMap { [weak self] in self?.model.generateRandomInt(from: 1, to: 100) ?? .empty() }
      .map(String.init)
      .subscribe(onNext: { [weak self] text in self?.number.accept(text) })
      .disposed(by: disposeBag)
  }
}
