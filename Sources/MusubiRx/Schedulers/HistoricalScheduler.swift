// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Virtual time that is counted in dates.
open class HistoricalScheduler: VirtualTimeScheduler<HistoricalSchedulerTimeConverter> {
  /// Creates a scheduler.
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
  public func convertFromVirtualTime(_ virtualTime: RxTime) -> RxTime { virtualTime }

  /// The same time.
  public func convertToVirtualTime(_ time: RxTime) -> RxTime { time }

  /// The same length.
  public func convertFromVirtualTimeInterval(_ virtualTimeInterval: Double) -> Double { virtualTimeInterval }

  /// The same length.
  public func convertToVirtualTimeInterval(_ timeInterval: Double) -> Double { timeInterval }

  /// The time, moved.
  public func offsetVirtualTime(_ time: RxTime, offset: Double) -> RxTime { time.addingTimeInterval(offset) }

  /// The order of two times.
  public func compareVirtualTime(_ lhs: RxTime, _ rhs: RxTime) -> VirtualTimeComparison {
    lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
  }
}
