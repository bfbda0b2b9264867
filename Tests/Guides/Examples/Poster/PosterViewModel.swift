// SPDX-License-Identifier: Apache-2.0
import Musubi

/// A poster whose words everybody in the room writes.
final class PosterViewModel: InputOutputViewModel {
  /// What a browser has refused.
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  struct Inputs: Decodable {
    var words: Signal<String> = .never()
    /// A browser has refused something: the directive, and what it was about.
    var refused: Signal<String> = .never()
  }

  struct Outputs: Encodable {
    let words: Driver<String>
    let refusals: Driver<[String]>
  }

  private let words = BehaviorRelay(value: "A *red* kettle")
  private let refusals = BehaviorRelay<[String]>(value: [])
  private let context: ScreenContext
  private let disposeBag = DisposeBag()

  init(_ context: ScreenContext) { self.context = context }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.words.emit(to: words).disposed(by: disposeBag)
    inputs.refused.emit(onNext: { [context, refusals] text in
      // Anybody may send this, so it is cut, and few are kept.
      let refusal = Refusal(description: String(text.prefix(200)))
      context.report(refusal)
      refusals.accept(Array((refusals.value + [refusal.description]).suffix(3)))
    }).disposed(by: disposeBag)
    return Outputs(words: words.asDriver(), refusals: refusals.asDriver())
  }
}
