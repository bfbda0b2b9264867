// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryModel
import MusubiRx
import MusubiTesting
import Testing

@Suite struct `The form's ViewModel` {
  private let scheduler = TestScheduler(initialClock: 1_000_000)
  private let name = PublishRelay<String>()
  private let people = PublishRelay<Int?>()
  private let day = PublishRelay<Date?>()
  private let course = PublishRelay<Registration.Course>()
  private let accepts = PublishRelay<Bool>()
  private let submit = PublishRelay<Void>()
  private let viewModel: FormViewModel
  private let bag = DisposeBag()
  private let shown = Shown()

  /// What the page shows now.
  private final class Shown {
    var name: String?
    var problems: Registration.Problems?
    var isIncomplete: Bool?
    var missing: Registration.Missing?
    var receipt: FormViewModel.Receipt?
    var booked: [String] = []
  }

  init() {
    viewModel = FormViewModel(clock: scheduler)
    let outputs = viewModel.bind(
      .init(
        name: name.asSignal(), people: people.asSignal(), day: day.asSignal(), course: course.asSignal(),
        accepts: accepts.asSignal(), submit: submit.asSignal()))
    bag.insert(
      outputs.name.drive(onNext: { [shown] in shown.name = $0 }),
      outputs.problems.drive(onNext: { [shown] in shown.problems = $0 }),
      outputs.isIncomplete.drive(onNext: { [shown] in shown.isIncomplete = $0 }),
      outputs.missing.drive(onNext: { [shown] in shown.missing = $0 }),
      outputs.receipt.drive(onNext: { [shown] in shown.receipt = $0 }),
      outputs.booked.emit(onNext: { [shown] in shown.booked.append($0) }))
  }

  private func fillIn() {
    name.accept("Ann")
    day.accept(scheduler.now.addingTimeInterval(86_400))
    accepts.accept(true)
  }

  @Test func `complains of nothing that nobody has touched`() {
    #expect(shown.isIncomplete == true)
    #expect(shown.problems?.name == false)
    #expect(shown.problems?.day == false)
  }

  @Test func `is complete once all that is required is there`() {
    fillIn()
    #expect(shown.isIncomplete == false)

    accepts.accept(false)

    #expect(shown.isIncomplete == true)
  }

  @Test func `names missing fields until there are none`() {
    #expect(shown.missing == .init(name: true, people: false, day: true, rules: true))

    name.accept("Ann")
    people.accept(nil)
    day.accept(scheduler.now.addingTimeInterval(-3 * 86_400))
    #expect(shown.missing == .init(name: false, people: true, day: true, rules: true))

    people.accept(2)
    fillIn()
    #expect(shown.missing == .init(name: false, people: false, day: false, rules: false))
  }

  @Test func `tells its problems, field by field`() {
    fillIn()

    name.accept(" ")
    people.accept(9)
    day.accept(scheduler.now.addingTimeInterval(-3 * 86_400))
    #expect(shown.problems?.name == true)
    #expect(shown.problems?.people == true)
    #expect(shown.problems?.day == true)
    #expect(shown.isIncomplete == true)

    people.accept(nil)
    #expect(shown.problems?.people == true)
    people.accept(8)
    #expect(shown.problems?.people == false)
  }

  @Test func `books a complete form, empties itself, and tells it once`() {
    fillIn()
    people.accept(3)
    course.accept(.glazing)

    submit.accept(())

    #expect(shown.receipt?.number == 1)
    #expect(shown.receipt?.people == 3)
    #expect(shown.receipt?.course == .glazing)
    #expect(shown.name == "")
    #expect(shown.isIncomplete == true)
    #expect(shown.booked == ["Ann"])
  }

  @Test func `books nothing that is incomplete, whatever the page allows`() {
    fillIn()
    people.accept(0)

    submit.accept(())

    #expect(shown.receipt == nil)
    #expect(shown.booked == [])
  }
}
