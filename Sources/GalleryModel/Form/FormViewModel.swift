// SPDX-License-Identifier: Apache-2.0
package import struct Foundation.Date
package import class MusubiRx.BehaviorRelay
package import class MusubiRx.DisposeBag
package import struct MusubiRx.Driver
package import class MusubiRx.PublishRelay
package import protocol MusubiRx.SchedulerType
package import struct MusubiRx.Signal

/// A form with every kind of control, whose rules live on the server.
///
/// Each control is an input, and an output of the same name that tells what the server has understood.
package final class FormViewModel {
  /// The page's inputs; a test names only those that it needs.
  package struct Inputs: Decodable {
    package var name: Signal<String>
    package var people: Signal<Int?>
    package var day: Signal<Date?>
    package var course: Signal<Registration.Course>
    package var level: Signal<Registration.Level>
    package var part: Signal<Registration.Part>
    package var remarks: Signal<String>
    package var accepts: Signal<Bool>
    package var submit: Signal<Void>

    /// Streams that never emit, but for those that are named.
    package init(
      name: Signal<String> = .never(), people: Signal<Int?> = .never(), day: Signal<Date?> = .never(),
      course: Signal<Registration.Course> = .never(), level: Signal<Registration.Level> = .never(),
      part: Signal<Registration.Part> = .never(), remarks: Signal<String> = .never(),
      accepts: Signal<Bool> = .never(), submit: Signal<Void> = .never()
    ) {
      self.name = name
      self.people = people
      self.day = day
      self.course = course
      self.level = level
      self.part = part
      self.remarks = remarks
      self.accepts = accepts
      self.submit = submit
    }
  }

  /// What the page shows.
  package struct Outputs: Encodable {
    package let name: Driver<String>
    package let people: Driver<Int?>
    package let day: Driver<Date?>
    package let course: Driver<Registration.Course>
    package let level: Driver<Registration.Level>
    package let part: Driver<Registration.Part>
    package let remarks: Driver<String>
    package let accepts: Driver<Bool>
    package let problems: Driver<Registration.Problems>
    package let missing: Driver<Registration.Missing>
    package let isIncomplete: Driver<Bool>
    package let receipt: Driver<Receipt?>
    package let booked: Signal<String>
  }

  /// The last booking.
  package struct Receipt: Encodable, Equatable {
    /// Counts the bookings of this visitor, from 1.
    package let number: Int
    /// Who comes.
    package let name: String
    /// How many come.
    package let people: Int
    /// When.
    package let day: Date
    /// What for.
    package let course: Registration.Course
    /// When on the day.
    package let part: Registration.Part
  }

  private let clock: any SchedulerType
  private let registration = BehaviorRelay(value: Registration())
  private let receipt = BehaviorRelay<Receipt?>(value: nil)
  private let booked = PublishRelay<String>()
  private let disposeBag = DisposeBag()

  /// The state that survives a restart: the filled-in form.
  package var state: Registration { registration.value }

  /// A form.
  ///
  /// - Parameters:
  ///   - clock: Tells which days are over.
  ///   - state: The form as it was filled in before; nil for an empty form.
  package init(clock: any SchedulerType, state: Registration? = nil) {
    self.clock = clock
    if let state { registration.accept(state) }
  }

  /// Connects the page's inputs with its outputs.
  package func bind(_ inputs: Inputs) -> Outputs {
    keep(inputs.name.map(Optional.some), in: \.name)
    keep(inputs.people, in: \.people)
    keep(inputs.day, in: \.day)
    keep(inputs.course, in: \.course)
    keep(inputs.level, in: \.level)
    keep(inputs.part, in: \.part)
    keep(inputs.remarks, in: \.remarks)
    keep(inputs.accepts, in: \.accepts)
    inputs.submit.emit(onNext: { [weak self] in self?.submit() }).disposed(by: disposeBag)

    let shown = registration.asDriver()
    return Outputs(
      name: shown.map { $0.name ?? "" }, people: shown.map(\.people), day: shown.map(\.day),
      course: shown.map(\.course), level: shown.map(\.level), part: shown.map(\.part),
      remarks: shown.map(\.remarks), accepts: shown.map(\.accepts),
      problems: shown.map { [clock] in $0.problems(at: clock.now) },
      missing: shown.map { [clock] in $0.missing(at: clock.now) },
      isIncomplete: shown.map { [clock] in !$0.isComplete(at: clock.now) },
      receipt: receipt.asDriver(), booked: booked.asSignal())
  }

  private func keep<Value>(_ signal: Signal<Value>, in field: WritableKeyPath<Registration, Value>) {
    signal.emit(onNext: { [registration] value in
      var next = registration.value
      next[keyPath: field] = value
      registration.accept(next)
    }).disposed(by: disposeBag)
  }

  private func submit() {
    let filledIn = registration.value
    guard filledIn.isComplete(at: clock.now), let name = filledIn.name, let people = filledIn.people,
      let day = filledIn.day
    else { return }
    let receipt = Receipt(
      number: (receipt.value?.number ?? 0) + 1, name: name, people: people, day: day, course: filledIn.course,
      part: filledIn.part)
    self.receipt.accept(receipt)
    registration.accept(Registration())
    booked.accept(name)
  }
}
