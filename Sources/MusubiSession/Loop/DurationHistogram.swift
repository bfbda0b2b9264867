// SPDX-License-Identifier: Apache-2.0

/// Durations by size, from 10 microseconds to 10 seconds.
package struct DurationHistogram: Equatable, Sendable {
  /// The upper bounds of the buckets, in seconds.
  package static let bounds: [Double] = [
    0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
    0.5, 1,
    2.5, 5, 10,
  ]

  /// How many were in each bucket, not above its bound and above the one before.
  package private(set) var counts = Array(repeating: 0, count: bounds.count)
  /// How many there were, and their sum in seconds.
  package private(set) var count = 0
  package private(set) var sum = 0.0

  package init() {}

  /// Counts a duration.
  package mutating func add(_ duration: Duration) {
    let seconds = duration / .seconds(1)
    if let bucket = Self.bounds.firstIndex(where: { seconds <= $0 }) { counts[bucket] += 1 }
    count += 1
    sum += seconds
  }

  /// Counts all of another one.
  package mutating func add(_ other: Self) {
    for index in counts.indices { counts[index] += other.counts[index] }
    count += other.count
    sum += other.sum
  }
}
