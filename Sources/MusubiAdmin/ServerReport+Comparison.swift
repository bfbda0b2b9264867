// SPDX-License-Identifier: Apache-2.0

/// What is known of a duration that only its bucket tells.
enum DurationBound: Equatable {
  /// It is not longer than so many seconds.
  case atMost(Double)
  /// It is longer than so many seconds, the highest bound of the histogram.
  case above(Double)

  /// The bound itself, in seconds.
  var seconds: Double {
    switch self {
    case .atMost(let seconds), .above(let seconds): seconds
    }
  }
}

extension ServerReport.Histogram {
  /// The bound that a share of the durations does not exceed: the upper bound of the bucket in which the share ends.
  ///
  /// A value between the bounds would look more precise, and be made up.
  ///
  /// - Parameter share: Above 0, and at most 1; 0.99 for the 99th percentile.
  /// - Returns: nil if nothing was measured.
  func bound(of share: Double) -> DurationBound? {
    guard count > 0, let highest = bounds.last else { return nil }
    let rank = max(1, Int((share * Double(count)).rounded(.up)))
    var seen = 0
    for (bound, count) in zip(bounds, counts) {
      seen += count
      if seen >= rank { return .atMost(bound) }
    }
    return .above(highest)
  }

  /// The mean in seconds; 0 if nothing was measured.
  var mean: Double { count > 0 ? sum / Double(count) : 0 }

  /// What was measured after an earlier moment.
  ///
  /// - Parameter earlier: The same histogram then; one that counts from 0 again has nothing to take away.
  /// - Returns: The later durations alone.
  func since(_ earlier: Self) -> Self {
    guard earlier.bounds == bounds, earlier.counts.count == counts.count, earlier.count <= count,
      zip(earlier.counts, counts).allSatisfy({ $0 <= $1 })
    else { return self }
    var result = self
    result.counts = zip(counts, earlier.counts).map(-)
    result.count -= earlier.count
    result.sum = max(0, sum - earlier.sum)
    return result
  }
}

extension ServerReport {
  /// How much of something the screens did in each second since an earlier report.
  ///
  /// A screen that the earlier report does not have, and a counter that counts from 0 again, count as a whole.
  ///
  /// - Parameters:
  ///   - counter: What is counted.
  ///   - earlier: The report before; nil if there is none.
  /// - Returns: nil if there is no earlier report of this server.
  func rate(of counter: KeyPath<Screen, Int>, since earlier: ServerReport?) -> Double? {
    guard let earlier, earlier.started == started, earlier.time < time else { return nil }
    let before = earlier.screens.reduce(into: [:]) { $0[$1.name] = $1[keyPath: counter] }
    let increase = screens.reduce(0) { sum, screen in
      sum + Self.increase(from: before[screen.name] ?? 0, to: screen[keyPath: counter])
    }
    return Double(increase) / (time - earlier.time)
  }

  /// How much of something the loops did in each second since an earlier report; see above.
  func rate(of counter: KeyPath<Loop, Int>, since earlier: ServerReport?) -> Double? {
    guard let earlier, earlier.started == started, earlier.time < time else { return nil }
    let before = earlier.loops.reduce(into: [:]) { $0[$1.index] = $1[keyPath: counter] }
    let increase = loops.reduce(0) { sum, loop in
      sum + Self.increase(from: before[loop.index] ?? 0, to: loop[keyPath: counter])
    }
    return Double(increase) / (time - earlier.time)
  }

  private static func increase(from before: Int, to now: Int) -> Int { now >= before ? now - before : now }
}
