// SPDX-License-Identifier: Apache-2.0
import Musubi

/// Boats in a harbour, for a map, and how many have arrived, for a chart.
final class HarbourViewModel: InputOutputViewModel {
  struct Boat: Identifiable, Codable, Equatable {
    let id: Int
    let name: String
    /// Latitude and longitude, in degrees.
    let place: [Double]
  }

  struct Inputs: Decodable {
    /// A boat that somebody has chosen on the map.
    var choose: Signal<Boat.ID> = .never()
    /// A boat arrives.
    var arrive: Signal<Void> = .never()
    /// An hour that somebody has chosen in the chart.
    var hour: Signal<Int> = .never()
  }

  struct Outputs: Encodable {
    let boats: Driver<[Boat]>
    let arrivals: Driver<[Int]>
    let chosen: Driver<String>
  }

  private let boats = BehaviorRelay(value: [
    Boat(id: 1, name: "Ada", place: [35.45, 139.65]), Boat(id: 2, name: "Grace", place: [35.46, 139.66]),
  ])
  private let arrivals = BehaviorRelay(value: [2, 3, 1])
  private let disposeBag = DisposeBag()

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.arrive.emit(onNext: { [boats, arrivals] in
      let id = boats.value.count + 1
      boats.accept(
        boats.value + [Boat(id: id, name: "Boat \(id)", place: [35.45, 139.64 + 0.01 * Double(id)])])
      var counts = arrivals.value
      counts[counts.count - 1] += 1
      arrivals.accept(counts)
    }).disposed(by: disposeBag)
    let boat = inputs.choose.compactMap { [boats] id in boats.value.first { $0.id == id }?.name }
    let hour = inputs.hour.compactMap { [arrivals] hour in
      arrivals.value.indices.contains(hour) ? "\(arrivals.value[hour]) in hour \(hour + 1)" : nil
    }
    return Outputs(
      boats: boats.asDriver(), arrivals: arrivals.asDriver(),
      chosen: Signal.merge(boat, hour).asDriver(onErrorJustReturn: "").startWith("Nothing"))
  }
}

extension Application {
  mutating func addHarbour() {
    screen("harbour", page: "harbour.html") { _ in HarbourViewModel() }
  }
}
