import Foundation
import MusubiRx

/// A form: where to, how many, when, how.
final class TripViewModel {
  /// Where to sit; the values of the radio buttons.
  enum Seat: String, Codable { case window, aisle }

  /// The page's inputs: one for each control, and `book` for the form.
  struct Inputs: Decodable {
    var destination: Signal<String> = .never()
    var travellers: Signal<Int> = .never()
    var leaves: Signal<Date?> = .never()
    var seat: Signal<Seat> = .never()
    var meals: Signal<[String]> = .never()
    var isFlexible: Signal<Bool> = .never()
    var note: Signal<String> = .never()
    var book: Signal<Void> = .never()
  }

  /// The page's outputs; a name that is an input, too, sets the control.
  struct Outputs: Encodable {
    let destination: Driver<String>
    let travellers: Driver<Int>
    let seat: Driver<Seat>
    let meals: Driver<[String]>
    let isFlexible: Driver<Bool>
    let problem: Driver<String>
    let isInvalid: Driver<Bool>
    let booked: Signal<String>
  }

  private struct Trip {
    var destination = ""
    var travellers = 1
    var leaves: Date?
    var seat = Seat.window
    var meals = ["lunch"]
    var isFlexible = false
    var note = ""

    var problem: String? {
      if destination.isEmpty { return "Where do you want to go?" }
      if !(1...9).contains(travellers) { return "We take 1 to 9 people." }
      if leaves == nil { return "When do you want to leave?" }
      return nil
    }
  }

  private let trip = BehaviorRelay(value: Trip())
  private let disposeBag = DisposeBag()

  func bind(_ inputs: Inputs) -> Outputs {
    keep(inputs.destination, in: \.destination)
    keep(inputs.travellers, in: \.travellers)
    keep(inputs.leaves, in: \.leaves)
    keep(inputs.seat, in: \.seat)
    keep(inputs.meals, in: \.meals)
    keep(inputs.isFlexible, in: \.isFlexible)
    keep(inputs.note, in: \.note)

    let trip = self.trip.asDriver()
    return Outputs(
      destination: trip.map(\.destination),
      travellers: trip.map(\.travellers),
      seat: trip.map(\.seat),
      meals: trip.map(\.meals),
      isFlexible: trip.map(\.isFlexible),
      problem: trip.map { $0.problem ?? "" },
      isInvalid: trip.map { $0.problem != nil },
      booked: inputs.book.compactMap { [trip = self.trip] in
        trip.value.problem == nil ? "Booked: \(trip.value.travellers) to \(trip.value.destination)." : nil
      })
  }

  private func keep<Value>(_ input: Signal<Value>, in member: WritableKeyPath<Trip, Value>) {
    input
      .emit(onNext: { [trip] value in
        var changed = trip.value
        changed[keyPath: member] = value
        trip.accept(changed)
      })
      .disposed(by: disposeBag)
  }
}
