// SPDX-License-Identifier: Apache-2.0

package import Dispatch
internal import Foundation

extension DispatchTimeInterval {
  /// The length in seconds; `never` is infinite.
  var inSeconds: Double {
    switch self {
    case .seconds(let count): Double(count)
    case .milliseconds(let count): Double(count) / 1e3
    case .microseconds(let count): Double(count) / 1e6
    case .nanoseconds(let count): Double(count) / 1e9
    case .never: .infinity
    @unknown default: .infinity
    }
  }

  /// The rest of this length since a point in time, at least nothing.
  func remaining(since start: Date, now: Date) -> DispatchTimeInterval {
    let left = inSeconds - now.timeIntervalSince(start)
    guard left.isFinite else { return self }
    return .nanoseconds(Int((max(left, 0) * 1e9).rounded()))
  }

  /// Whether this length has passed since a point in time.
  ///
  /// Half a microsecond of tolerance makes up for the rounding of `Date`.
  func hasPassed(since start: Date, now: Date) -> Bool { now.timeIntervalSince(start) + 5e-7 >= inSeconds }
}

extension DispatchTimeInterval {
  /// A length of Swift's clocks, in whole milliseconds.
  package init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self = .milliseconds(Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
  }

  /// The length for Swift's clocks; `never` is a hundred years.
  package var duration: Duration {
    switch self {
    case .seconds(let count): .seconds(count)
    case .milliseconds(let count): .milliseconds(count)
    case .microseconds(let count): .microseconds(count)
    case .nanoseconds(let count): .nanoseconds(count)
    case .never: .seconds(100 * 365 * 86_400)
    @unknown default: .zero
    }
  }
}
