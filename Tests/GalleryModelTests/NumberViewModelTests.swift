// SPDX-License-Identifier: Apache-2.0
import GalleryModel
import MusubiRx
import Testing

/// Draws what the test has put in, and counts how often.
private final class StubModel: NumberModel {
  var next = 0
  private(set) var draws: [ClosedRange<Int>] = []

  func generateRandomInt(from lower: Int, to upper: Int) -> Observable<Int> {
    draws.append(lower...upper)
    return .just(next)
  }
}

@Suite struct `The number's ViewModel` {
  private let text = PublishSubject<String?>()
  private let tap = PublishSubject<Void>()
  private let model = StubModel()
  private let viewModel: NumberViewModel

  init() {
    viewModel = NumberViewModel(
      numberText: text.asObservable(), buttonTap: tap.asObservable(), model: model)
  }

  @Test func `starts with 0`() {
    #expect(viewModel.number.value == "0")
  }

  @Test func `shows the typed text`() {
    text.onNext("4")
    text.onNext("42")

    #expect(viewModel.number.value == "42")
  }

  @Test(arguments: [nil, ""]) func `ignores a field without text`(nothing: String?) {
    text.onNext("42")

    text.onNext(nothing)

    #expect(viewModel.number.value == "42")
  }

  @Test func `draws once from 1 to 100 for one tap, and shows the number`() {
    model.next = 57

    tap.onNext(())

    #expect(viewModel.number.value == "57")
    #expect(model.draws == [1...100])
  }

  @Test func `emits a number that is drawn twice twice`() {
    var shown: [String] = []
    let subscription = viewModel.number.subscribe(onNext: { shown.append($0) })
    model.next = 7

    tap.onNext(())
    tap.onNext(())

    #expect(shown == ["0", "7", "7"])
    subscription.dispose()
  }

  @Test func `is released with its last reference`() {
    weak var released: NumberViewModel?
    do {
      let viewModel = NumberViewModel(
        numberText: text.asObservable(), buttonTap: tap.asObservable(), model: model)
      released = viewModel
      tap.onNext(())
      #expect(viewModel.number.value == "0")
    }

    #expect(released == nil)
  }
}

@Suite struct `The random model` {
  @Test func `draws every number of its range and no other`() {
    let model = RandomNumberModel(generator: SystemRandomNumberGenerator())
    var drawn: Set<Int> = []

    for _ in 0..<20_000 {
      model.generateRandomInt(from: 1, to: 100).subscribe(onNext: { drawn.insert($0) }).dispose()
    }

    #expect(drawn == Set(1...100))
  }
}
