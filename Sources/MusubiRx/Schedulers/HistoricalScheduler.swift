// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Virtual time that is counted in dates.
open class HistoricalScheduler: VirtualTimeScheduler<HistoricalSchedulerTimeConverter> {
  /// Creates a scheduler.
  ///
  /// - Parameter initialClock: Where time starts.
  public init(initialClock: RxTime = HistoricalSchedulerTimeConverter.epoch) {
    super.init(initialClock: initialClock, converter: HistoricalSchedulerTimeConverter())
  }
}

/// Virtual time and real time are the same.
public struct HistoricalSchedulerTimeConverter: VirtualTimeConverterType {
  /// Dates are virtual times.
  public typealias VirtualTimeUnit = RxTime
  /// Seconds are virtual lengths.
  public typealias VirtualTimeIntervalUnit = Double

  /// The beginning of 1970.
  public static let epoch = RxTime(timeIntervalSince1970: 0)

  /// Creates a converter.
  public init() {}

  /// The same time.
  ///
  /// - Parameter virtualTime: The virtual time.
  /// - Returns: The real time.
  public func convertFromVirtualTime(_ virtualTime: RxTime) -> RxTime { virtualTime }

  /// The same time.
  ///
  /// - Parameter time: The real time.
  /// - Returns: The virtual time.
  public func convertToVirtualTime(_ time: RxTime) -> RxTime { time }

  /// The same length.
  ///
  /// - Parameter virtualTimeInterval: Seconds.
  /// - Returns: Seconds.
  public func convertFromVirtualTimeInterval(_ virtualTimeInterval: Double) -> Double { virtualTimeInterval }

  /// The same length.
  ///
  /// - Parameter timeInterval: Seconds.
  /// - Returns: Seconds.
  public func convertToVirtualTimeInterval(_ timeInterval: Double) -> Double { timeInterval }

  /// The time, moved.
  ///
  /// - Parameters:
  ///   - time: The start.
  ///   - offset: Seconds to move.
  /// - Returns: The moved time.
  public func offsetVirtualTime(_ time: RxTime, offset: Double) -> RxTime { time.addingTimeInterval(offset) }

  /// The order of two times.
  ///
  /// - Parameters:
  ///   - lhs: One time.
  ///   - rhs: The other.
  /// - Returns: The order of the first to the second.
  public func compareVirtualTime(_ lhs: RxTime, _ rhs: RxTime) -> VirtualTimeComparison {
    lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
  }
}
