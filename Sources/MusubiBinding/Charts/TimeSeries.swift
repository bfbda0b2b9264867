// SPDX-License-Identifier: Apache-2.0

/// The newest values of something that is measured again and again, such as a temperature.
///
/// ```swift
/// private let load = BehaviorRelay(value: TimeSeries(capacity: 200))
///
/// var series = load.value
/// series.append(0.42)
/// load.accept(series)
/// ```
///
/// A `LineChart` shows it.
public struct TimeSeries: Codable, Equatable, Sendable {
  /// So many values are kept.
  public let capacity: Int
  /// The values, the oldest first; nil where one is missing.
  public private(set) var values: [Double?] = []
  /// How many values there ever were.
  public private(set) var count = 0

  /// A series without values.
  ///
  /// - Parameter capacity: So many values are kept; at least 2.
  public init(capacity: Int = 200) {
    precondition(capacity >= 2, "A TimeSeries keeps at least two values.")
    self.capacity = capacity
  }

  /// Adds a value; the oldest one goes if there are too many.
  ///
  /// - Parameter value: The value; nil if it is missing. One that is infinite or not a number is missing, too.
  public mutating func append(_ value: Double?) {
    count += 1
    values.append(value.flatMap { $0.isFinite ? $0 : nil })
    if values.count > capacity { values.removeFirst() }
  }

  /// The number of the oldest value, from 0 on.
  var start: Int { count - values.count }

  /// Whether it is another one with more values.
  func goesOn(from other: TimeSeries) -> Bool {
    guard capacity == other.capacity, count >= other.count, other.count >= start else { return false }
    return values.prefix(other.count - start) == other.values.suffix(other.count - start)
  }

  /// The last value before a number that is not missing; nil if there is none.
  func last(before number: Int) -> (number: Int, value: Double)? {
    numbered(start..<max(start, number)).last
  }

  /// The values of those numbers that are there and not missing.
  func numbered(_ range: Range<Int>) -> [(number: Int, value: Double)] {
    range.clamped(to: start..<count).compactMap { number in
      values[number - start].map { (number, $0) }
    }
  }
}
