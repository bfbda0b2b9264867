// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiBinding
@testable import MusubiSession

/// A load that is measured ten times a second.
private final class LoadViewModel: InputOutputViewModel {
  struct Inputs: Decodable {}
  struct Outputs: Encodable { let load: LineChart }

  private let clock: any SchedulerType

  init(_ clock: any SchedulerType) { self.clock = clock }

  func bind(_ inputs: Inputs) -> Outputs {
    let series = Observable<Int>.interval(.milliseconds(100), scheduler: clock)
      .scan(into: TimeSeries(capacity: 200)) { series, number in
        series.append(50 + 40 * sin(Double(number) / 7))
      }
    return Outputs(
      load: LineChart(series.asDriver(onErrorDriveWith: .empty()), range: 0...100, unit: " %"))
  }
}

@Suite struct `A line chart` {
  private func series(_ values: [Double?], capacity: Int = 200) -> TimeSeries {
    values.reduce(into: TimeSeries(capacity: capacity)) { $0.append($1) }
  }

  private func value(_ series: TimeSeries...) throws -> Value {
    var drawing = LineDrawing(range: nil, unit: " %")
    for one in series { drawing = drawing.next(one) }
    return try Value(json: Array(try JSONEncoder().encode(drawing)))
  }

  @Test func `of 200 points, ten a second, takes less than 2 kB a second`() {
    let network = SimulatedNetwork(
      seed: 1,
      routes: [
        ScreenRoute(name: "load", scope: .room) {
          InputOutputScreen(LoadViewModel($0.clock), name: "load")
        }
      ])
    let page = RawPage(network, "load", query: ["room": "a"])
    network.run(until: network.now + .seconds(60))
    let before = page.frames.count

    network.run(until: network.now + .seconds(20))

    let frames = page.frames.dropFirst(before)
    let bytes = frames.reduce(0) { $0 + $1.utf8.count }
    #expect(frames.count >= 200)
    #expect(bytes < 20 * 2_000, "\(bytes / 20) bytes a second: \(frames.last ?? "")")
  }

  @Test func `is in pieces, each of which begins where the one before ends`() throws {
    let value = try value(series((0..<10).map { Double($0) }))

    #expect(value["p0"] == "0,0 1,1 2,2 3,3")
    #expect(value["p1"] == "3,3 4,4 5,5 6,6 7,7")
    #expect(value["p2"] == "7,7 8,8 9,9")
    #expect(value["p3"] == "" && value["p51"] == "")
    let scale = "matrix(\(200 / 199.0) 0 0 \(-100 / 9.0) 0 100.0)"
    #expect(value["scale"] == .string(scale) && value["slide"] == "translate(-0 0)")
    #expect(value["low"] == "0 %" && value["high"] == "9 %" && value["isEmpty"] == false)
  }

  @Test(arguments: [2, 3, 7, 200, 201, 1_000]) func `shows every value of a full series`(capacity: Int) throws
  {
    var drawing = LineDrawing(range: 0...1, unit: "")
    var series = TimeSeries(capacity: capacity)
    for number in 0..<3 * capacity + 5 {
      series.append(Double(number % 10) / 10)
      drawing = drawing.next(series)
      // Some are skipped, as where nobody looks.
      guard number % 3 == 0 else { continue }
    }
    let whole = LineDrawing(range: 0...1, unit: "").next(series)

    let value = try Value(json: Array(try JSONEncoder().encode(drawing)))
    let again = try Value(json: Array(try JSONEncoder().encode(whole)))
    let shown = Self.numbers(value).filter { $0 >= series.start }
    #expect(shown == Set(series.start..<series.count))
    #expect(Self.numbers(again) == Set(max(0, series.start)..<series.count))
    #expect(value["slide"] == .string("translate(-\(series.start) 0)"))
  }

  private static func numbers(_ drawing: Value) -> Set<Int> {
    Set(
      (0..<52).flatMap { piece in
        (drawing["p\(piece)"]?.stringValue ?? "").split(separator: " ").compactMap {
          $0.split(separator: ",").first.flatMap { Int($0) }
        }
      })
  }

  @Test func `jumps over what was not seen, and begins again with another series`() throws {
    let first = series((0..<5).map { Double($0) })
    let later = series((0..<300).map { Double($0) })
    let other = series([7], capacity: 100)

    #expect(Self.numbers(try value(first, later)).isSuperset(of: 100..<300))
    #expect(try value(first, later, other)["p0"] == "0,7 0,7")
    let like = series((0..<300).map { -Double($0) })
    #expect(try value(later, like) == value(like))
    #expect(try value(first, later, other)["p1"] == "")
  }

  @Test func `tells values apart that are close to each other and far from 0`() throws {
    let value = try value(series([10_000, 10_000.5, 10_000.25]))

    #expect(value["p0"] == "0,0 1,0.5 2,0.25")
    let ends = [value["low"], value["high"]]
    #expect(ends == ["10000 %", "10000.5 %"])
    let rows = LineRow.all(of: series([1_013.2, 1_013.4, 1_013.26]), unit: " hPa")
    #expect(rows.map(\.lowest) == ["1013.2 hPa"] && rows.map(\.highest) == ["1013.4 hPa"])
    #expect(rows.map(\.mean) == ["1013.287 hPa"])
  }

  @Test func `has no zero below zero`() throws {
    let value = try value(series([-7, -0.5]))

    #expect(value["high"] == "0 %" && value["low"] == "-7 %")
  }

  @Test func `that goes on for days is drawn with small numbers`() throws {
    var drawing = LineDrawing(range: nil, unit: "")
    var series = TimeSeries(capacity: 20)
    for number in 0..<130_000 {
      series.append(8e9 + Double(number % 7) * 100)
      // Most are not looked at.
      if number % 1_000 < 2 || number > 129_900 { drawing = drawing.next(series) }
    }
    let value = try Value(json: Array(try JSONEncoder().encode(drawing)))
    let slide = try #require(
      value["slide"]?.stringValue.flatMap { Int($0.dropFirst("translate(-".count).prefix { $0.isNumber }) })
    let points = (0..<52).flatMap { piece in
      (value["p\(piece)"]?.stringValue ?? "").split(separator: " ").map {
        $0.split(separator: ",").compactMap { Double($0) }
      }
    }

    #expect(slide < 60_000 && points.allSatisfy { $0[0] < 60_000 && abs($0[1]) < 1_000 })
    #expect(Set(points.map { Int($0[0]) - slide }).isSuperset(of: 0..<20))
  }

  @Test func `goes straight on where values are missing`() throws {
    let value = try value(series([1, nil, .nan, .infinity, 3]))

    #expect(value["p0"] == "0,1 0,1" && value["p1"] == "0,1 4,3")
    let broken = try self.value(series([0, 1, 2, 3, 4, nil, 6, nil, nil, 9]))
    #expect(broken["p1"] == "3,3 4,4 6,6" && broken["p2"] == "6,6 9,9")
    #expect(try self.value(series([nil, .nan]))["isEmpty"] == true)
    #expect(try self.value(series([]))["isEmpty"] == true)
  }

  @Test(arguments: [
    ([0.0, 10], 0.0, 10.0), ([3, 97], 0, 100), ([-3, 4], -3, 4), ([0.12, 0.19], 0.12, 0.19),
    ([5, 5], 4, 6), ([], 0, 1), ([1e300, -1e300], -1e300, 1e300),
    ([1e17, 1e17], 1e17.nextDown, 1e17.nextUp),
  ])
  func `has a scale with round ends`(values: [Double], low: Double, high: Double) {
    let scale = ChartScale(nil, around: values)

    #expect(scale.low < scale.high)
    #expect(
      abs(scale.low - low) <= 1e-9 * max(1, abs(low)) && abs(scale.high - high) <= 1e-9 * max(1, abs(high)))
    #expect(ChartScale(2...3, around: values) == ChartScale(2...3, around: []))
  }

  @Test func `says the same in a table`() {
    let rows = LineRow.all(of: series((1...45).map { Double($0) }), unit: " °C")

    #expect(rows.map(\.values) == ["1–20", "21–40"])
    #expect(rows.map(\.mean) == ["10.5 °C", "30.5 °C"])
    #expect(rows.map(\.lowest) == ["1 °C", "21 °C"] && rows.map(\.highest) == ["20 °C", "40 °C"])
    let full = LineRow.all(of: series((1...305).map { Double($0) }), unit: "")
    #expect(full.map(\.id) == Array(6...14))
    // The first values are not kept from who reads them.
    let first = LineRow.all(of: series([4, nil, 2]), unit: "")
    #expect(first.map(\.values) == ["1–3"] && first.map(\.mean) == ["3"])
    #expect(LineRow.all(of: series([nil]), unit: "").isEmpty && LineRow.all(of: series([]), unit: "").isEmpty)
  }
}

@Suite struct `A bar chart` {
  private func bars(_ values: [Double], range: ClosedRange<Double>? = nil) -> [BarChart.Drawing] {
    var shown: [BarChart.Drawing] = []
    let bars = values.enumerated().map { BarChart.Bar(id: $0.offset, name: "n", value: $0.element) }
    _ = BarChart(.just(bars), range: range, unit: " kg").bars.drive(onNext: { shown = $0 })
    return shown
  }

  @Test func `draws from 0 on, to either side`() {
    #expect(bars([10, 5]).map(\.width) == ["100", "50"])
    #expect(bars([10, 5]).map(\.place) == ["translate(0 0)", "translate(0 0)"])
    #expect(bars([-4, 4]).map(\.width) == ["50", "50"])
    #expect(bars([-4, 4]).map(\.place) == ["translate(0 0)", "translate(50 0)"])
    #expect(bars([2.5]).map(\.text) == ["2.5 kg"])
  }

  @Test func `draws nothing of what is no number, and not beyond its scale`() {
    #expect(bars([.nan, .infinity, 1]).map(\.width) == ["0", "0", "100"])
    #expect(bars([.nan]).map(\.text) == ["–"])
    #expect(bars([0]).map(\.width) == ["0"])
    #expect(bars([-1.5e308, 1.5e308]).map(\.width) == ["50", "50"])
    #expect(bars([200], range: 0...100).map(\.width) == ["100"])
    #expect(bars([]).isEmpty)
  }
}
