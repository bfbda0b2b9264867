// SPDX-License-Identifier: Apache-2.0
public import MusubiRx

/// A bar for each of some values: the outputs of the fragment `bar-chart`.
///
/// ```swift
/// struct Outputs: Encodable { let sales: BarChart }
///
/// Outputs(sales: BarChart(sales.map { $0.map { .init(id: $0.id, name: $0.title, value: Double($0.cups)) } }))
/// ```
/// ```html
/// <figure><figcaption>Sales</figcaption><div data-use="bar-chart" data-prefix="sales"></div></figure>
/// ```
public struct BarChart: Encodable {
  /// One of the values.
  public struct Bar: Codable, Equatable, Identifiable, Sendable {
    /// Names it among the others.
    public let id: Int
    /// What people call it.
    public let name: String
    /// The value; one that is infinite or not a number has no bar.
    public let value: Double

    /// A value.
    public init(id: Int, name: String, value: Double) { (self.id, self.name, self.value) = (id, name, value) }
  }

  /// A bar as the page draws it: from a hundredth of the width to another.
  struct Drawing: Encodable, Equatable, Identifiable {
    let id: Int
    let name: String
    let text: String
    let width: String
    let place: String
  }

  let bars: Driver<[Drawing]>

  /// A chart.
  ///
  /// - Parameters:
  ///   - bars: The values, now and after each change.
  ///   - range: The lowest and the highest value of the scale; without it the scale has round ends around 0 and the values.
  ///   - unit: What stands behind each number.
  public init(_ bars: Driver<[Bar]>, range: ClosedRange<Double>? = nil, unit: String = "") {
    self.bars = bars.map { bars in
      let values = bars.map(\.value).filter(\.isFinite)
      let scale = ChartScale(range, around: values.isEmpty ? [] : values + [0])
      func place(_ value: Double) -> Double {
        100 * ((min(max(value, scale.low), scale.high) - scale.low) / (scale.high - scale.low))
      }
      let spread = (values.max() ?? 0) - (values.min() ?? 0)
      return bars.map { bar in
        let isDrawn = bar.value.isFinite
        let ends = isDrawn ? [place(0), place(bar.value)].sorted() : [0, 0]
        return Drawing(
          id: bar.id, name: bar.name,
          text: isDrawn ? ChartScale.text(bar.value, spread: spread, unit: unit) : "–",
          width: ChartScale.text(ends[1] - ends[0]), place: "translate(\(ChartScale.text(ends[0])) 0)")
      }
    }
  }
}
