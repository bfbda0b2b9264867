import MusubiRx
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite struct `Stalls` {
  private let scheduler = TestScheduler(initialClock: 0)

  @Test func `tell what changes instead of all`() {
    let raise = PublishRelay<Int>()
    let close = PublishRelay<Int>()
    let viewModel = StallsViewModel(prices: [3, 4, 5])
    let outputs = viewModel.bind(
      StallsViewModel.Inputs(raise: raise.asSignal(), close: close.asSignal()))
    var shown: [StallsViewModel.Stall] = []
    let subscription = outputs.stalls.drive(onNext: { shown.apply($0) })
    defer { subscription.dispose() }

    close.accept(0)
    raise.accept(2)

    #expect(shown.map(\.price) == [4, 6])
  }
}
