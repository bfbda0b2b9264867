// SPDX-License-Identifier: Apache-2.0

/// How long something took, many times: counts by duration to within 3 per cent, in memory that does not grow.
///
/// A duration in microseconds counts in one of 32 buckets of its power of two, as in HDR histograms.
struct Latencies: Equatable, Sendable {
  private static let perPower = 32
  /// 2 to the 40 microseconds are twelve days.
  private static let powers = 37

  private(set) var count = 0
  private(set) var longest = Duration.zero
  private var counts: [Int] = []

  /// Counts one.
  mutating func add(_ duration: Duration) {
    if counts.isEmpty { counts = Array(repeating: 0, count: Self.perPower * Self.powers) }
    let microseconds = max(0, Int(duration / .microseconds(1)))
    counts[min(Self.bucket(of: microseconds), counts.count - 1)] += 1
    count += 1
    longest = max(longest, duration)
  }

  /// Counts all of another one.
  mutating func add(_ other: Latencies) {
    if counts.isEmpty { counts = Array(repeating: 0, count: Self.perPower * Self.powers) }
    for (index, count) in other.counts.enumerated() { counts[index] += count }
    count += other.count
    longest = max(longest, other.longest)
  }

  /// A duration that a share of all did not exceed.
  ///
  /// - Parameter share: From 0 to 1; 0.5 is the median.
  /// - Returns: The duration; zero if there is none.
  func quantile(_ share: Double) -> Duration {
    var left = Int((share * Double(count)).rounded(.up))
    for (index, count) in counts.enumerated() where count > 0 {
      left -= count
      if left <= 0 { return min(.microseconds(Self.end(of: index)), longest) }
    }
    return longest
  }

  private static func bucket(of microseconds: Int) -> Int {
    guard microseconds >= perPower else { return microseconds }
    let shift = Int.bitWidth - microseconds.leadingZeroBitCount - 6
    return shift * perPower + microseconds >> shift
  }

  /// The first microsecond behind a bucket.
  private static func end(of bucket: Int) -> Int {
    let shift = max(0, bucket / perPower - 1)
    return (bucket - shift * perPower + 1) << shift
  }
}
