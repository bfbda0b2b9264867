import MusubiRx
import MusubiTesting
import Testing

@testable import GuideExamples

/// Notes its questions, and answers as the test wants.
private final class StubNames: Names {
  private(set) var asked: [String] = []
  var answer: Single<Bool> = .just(true)

  func isFree(_ name: String) -> Single<Bool> {
    asked.append(name)
    return answer
  }
}

@Suite struct `Signing up` {
  // A tick is a tenth of a second.
  private let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
  private let names = StubNames()
  private let name = PublishRelay<String>()
  private let join = PublishRelay<Void>()

  private func outputs() -> SignUpViewModel.Outputs {
    SignUpViewModel(names: names, scheduler: scheduler)
      .bind(SignUpViewModel.Inputs(name: name.asSignal(), join: join.asSignal()))
  }

  @Test func `asks for the last name only, once typing has paused`() {
    let advice = scheduler.record(outputs().advice)

    scheduler.scheduleAt(10) { name.accept("An") }
    scheduler.scheduleAt(12) { name.accept("Ann") }
    scheduler.advanceTo(20)

    #expect(names.asked == ["Ann"])
    #expect(
      advice.events == [
        .next(0, "Choose a name."), .next(10, "Looking …"), .next(12, "Looking …"),
        .next(15, "Ann is yours if you want it."),
      ])
  }

  @Test func `says that the names cannot be reached, and goes on with the next one`() {
    let advice = scheduler.record(outputs().advice)
    names.answer = .error(RxError.timeout)
    name.accept("Ann")
    scheduler.advanceTo(5)
    #expect(advice.events.last?.value == .next("The names cannot be reached. Type on to try again."))

    names.answer = .just(false)
    name.accept("Anna")
    scheduler.advanceTo(10)

    #expect(advice.events.last?.value == .next("Somebody is called Anna already."))
  }

  @Test func `greets once for each tap, and only who has a name`() {
    let welcome = scheduler.record(outputs().welcome)

    join.accept(())
    name.accept("Ann")
    scheduler.advanceTo(5)
    join.accept(())

    #expect(welcome.events.map(\.value) == [.next("Welcome, Ann!")])
  }

  @Test func `shows typing on its page`() throws {
    let screen = try TestScreen { SignUpViewModel(names: names, scheduler: scheduler) }

    try screen.type("Ann", into: "name")
    scheduler.advanceTo(5)
    try screen.tap("join")

    #expect(screen["advice"] == "Ann is yours if you want it.")
    #expect(screen["cannotJoin"] == "false")
    #expect(screen.events == [TestScreen.Event(name: "welcome", value: "Welcome, Ann!")])
  }

  @Test func `needs no inputs but those that a test is about`() {
    let outputs = SignUpViewModel(names: names).bind(SignUpViewModel.Inputs())

    let cannotJoin = scheduler.record(outputs.cannotJoin)

    #expect(cannotJoin.events.map(\.value) == [.next(true)])
  }
}
