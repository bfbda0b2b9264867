import MusubiRx
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite struct `A coffee` {
  private let name = BehaviorSubject<String?>(value: "")
  private let size = PublishSubject<Int>()
  private let tap = PublishSubject<Void>()
  private let scheduler = TestScheduler(initialClock: 0)

  @Test func `is described while it is chosen`() {
    let viewModel = CoffeeViewModel(
      name: name.asObservable(), size: size.asObservable(), tap: tap.asObservable())
    let order = scheduler.record(viewModel.order)

    name.onNext("Ann")
    size.onNext(2)

    #expect(
      order.events.map(\.value) == [
        .next("Who is it for?"), .next("A medium coffee for Ann."), .next("A large coffee for Ann."),
      ])
  }

  @Test func `is counted in the page`() throws {
    let screen = try TestScreen { CoffeeView() }
    #expect(screen["buyDisabled"] == "true")

    try screen.type("Ann", into: "name")
    try screen.tap("buy")

    #expect(screen["order"] == "A medium coffee for Ann.")
    #expect(screen["buyDisabled"] == "false")
    #expect(screen["count"] == "1")
  }
}
