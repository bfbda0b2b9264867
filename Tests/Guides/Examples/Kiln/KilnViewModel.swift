import Musubi

/// A kiln: its temperature ten times a second, and what has been fired in it.
final class KilnViewModel {
  struct Inputs: Decodable {
    var fire: Signal<Void> = .never()
  }

  struct Outputs: Encodable {
    let temperature: LineChart
    let pots: BarChart
  }

  private let clock: any SchedulerType
  private let thermometer: (Int) -> Double
  private let series = BehaviorRelay(value: TimeSeries(capacity: 200))
  private let cups = BehaviorRelay(value: 0)
  private let disposeBag = DisposeBag()

  /// - Parameters:
  ///   - clock: Tells when to measure.
  ///   - thermometer: The temperature of a measurement, which has a number.
  init(clock: any SchedulerType, thermometer: @escaping (Int) -> Double) {
    self.clock = clock
    self.thermometer = thermometer
  }

  func bind(_ inputs: Inputs) -> Outputs {
    Observable<Int>.interval(.milliseconds(100), scheduler: clock)
      .subscribe(onNext: { [unowned self] number in
        var newest = series.value
        newest.append(thermometer(number))
        series.accept(newest)
      }).disposed(by: disposeBag)
    inputs.fire.emit(onNext: { [cups] in cups.accept(cups.value + 1) }).disposed(by: disposeBag)
    return Outputs(
      temperature: LineChart(series.asDriver(), unit: " °C"),
      pots: BarChart(
        cups.asDriver().map { cups in
          [.init(id: 1, name: "Cups", value: Double(cups)), .init(id: 2, name: "Bowls", value: 3)]
        }))
  }
}
