// SPDX-License-Identifier: Apache-2.0
public import MusubiRx

/// A line through the values of a time series: the outputs of the fragment `line-chart`.
///
/// ```swift
/// struct Outputs: Encodable { let load: LineChart }
///
/// Outputs(load: LineChart(load.asDriver(), range: 0...100, unit: " %"))
/// ```
/// ```html
/// <figure><figcaption>Load</figcaption><div data-use="line-chart" data-prefix="load"></div></figure>
/// ```
///
/// The line is in pieces, so that a new value changes the newest piece alone, and how far all have moved.
public struct LineChart: Encodable {
  let line: Driver<LineDrawing>
  let rows: Driver<[LineRow]>

  /// A chart.
  ///
  /// - Parameters:
  ///   - series: The values, now and after each change.
  ///   - range: The lowest and the highest value of the scale; without it the scale has round ends around the values.
  ///   - unit: What stands behind each number, such as ` %` or `°C`.
  public init(_ series: Driver<TimeSeries>, range: ClosedRange<Double>? = nil, unit: String = "") {
    line = series.scan(LineDrawing(range: range, unit: unit)) { $0.next($1) }
    rows = series.map { LineRow.all(of: $0, unit: unit) }
  }
}

/// The pieces of a line, and where they are.
struct LineDrawing: Encodable {
  /// So many pieces the fragment has: all but two are whole.
  static let pieces = 52

  private let range: ClosedRange<Double>?
  private let unit: String
  private var points = [String](repeating: "", count: pieces)
  /// From where on points are counted: browsers draw with numbers of 32 bits, and a series has no end.
  private var origin = (number: 0, value: 0.0)
  private var series = TimeSeries()
  private var scale = ChartScale(0...1, around: [])

  init(range: ClosedRange<Double>?, unit: String) {
    self.range = range
    self.unit = unit
  }

  /// The drawing of a series that has mostly one more value than the one before.
  func next(_ series: TimeSeries) -> LineDrawing {
    var next = self
    let size = Self.size(series)
    next.scale = ChartScale(range, around: series.values.lazy.compactMap { $0 })
    next.origin = next.scale.origin(from: origin, series.start, round: Self.pieces * size)
    let isMore =
      series.goesOn(from: self.series) && next.scale.precision == scale.precision && next.origin == origin
    let changed = isMore ? max(series.start, self.series.count - 1) : series.start
    if !isMore { next.points = [String](repeating: "", count: Self.pieces) }
    if series.count > 0 {
      for piece in max(0, changed) / size...(series.count - 1) / size {
        next.points[piece % Self.pieces] = next.points(of: series, piece * size..<(piece + 1) * size)
      }
    }
    next.series = series
    return next
  }

  private static func size(_ series: TimeSeries) -> Int { (series.capacity + pieces - 3) / (pieces - 2) }

  private func points(of series: TimeSeries, _ range: Range<Int>) -> String {
    let precision = scale.precision
    let own = series.numbered(range)
    // A piece begins with the last point before it, so that the line goes straight on.
    let before = own.isEmpty ? nil : series.last(before: range.lowerBound)
    let points = ((before.map { [$0] } ?? []) + own).map {
      "\($0.number - origin.number),\(ChartScale.text($0.value - origin.value, precision: precision))"
    }
    // One point alone draws a dot if it is there twice.
    return (points.count == 1 ? points + points : points).joined(separator: " ")
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for (index, points) in points.enumerated() {
      try container.encode(points, forKey: Key(stringValue: "p\(index)"))
    }
    let span = scale.high - scale.low
    let (across, down) = (200 / Double(series.capacity - 1), -100 / span)
    try container.encode(
      "matrix(\(across) 0 0 \(down) 0 \(100 * (scale.high - origin.value) / span))",
      forKey: Key(stringValue: "scale"))
    try container.encode("translate(-\(series.start - origin.number) 0)", forKey: Key(stringValue: "slide"))
    for (end, name) in [(scale.low, "low"), (scale.high, "high")] {
      try container.encode(ChartScale.text(end, spread: span, unit: unit), forKey: Key(stringValue: name))
    }
    try container.encode(series.values.allSatisfy { $0 == nil }, forKey: Key(stringValue: "isEmpty"))
  }
}

/// A row of the table that says in numbers what the line shows: some values that came one after another.
struct LineRow: Encodable, Equatable, Identifiable {
  let id: Int
  let values: String
  let mean: String
  let lowest: String
  let highest: String

  /// Rows of a tenth of the series each, as far as they are whole; the first values have one before that.
  static func all(of series: TimeSeries, unit: String) -> [LineRow] {
    let size = (series.capacity + 9) / 10
    let values = series.values.lazy.compactMap { $0 }
    let spread = (values.max() ?? 0) - (values.min() ?? 0)
    guard series.count >= size else {
      return LineRow(0, series, 0..<series.count, spread, unit: unit).map { [$0] } ?? []
    }
    return ((series.start + size - 1) / size..<series.count / size).compactMap { number in
      LineRow(number, series, number * size..<(number + 1) * size, spread, unit: unit)
    }
  }

  /// A row of the values of those numbers; nil if all are missing.
  private init?(_ id: Int, _ series: TimeSeries, _ numbers: Range<Int>, _ spread: Double, unit: String) {
    let found = series.numbered(numbers).map(\.value)
    guard let low = found.min(), let high = found.max() else { return nil }
    self.id = id
    values = "\(numbers.lowerBound + 1)–\(numbers.upperBound)"
    func text(_ value: Double) -> String { ChartScale.text(value, spread: spread, unit: unit) }
    mean = text(found.reduce(0) { $0 + $1 / Double(found.count) })
    (lowest, highest) = (text(low), text(high))
  }
}
