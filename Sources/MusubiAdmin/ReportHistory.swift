// SPDX-License-Identifier: Apache-2.0

/// The newest report, and those before it that it is compared with.
///
/// It knows what has come while somebody was looking, and at most a little more than a minute.
struct ReportHistory {
  /// How far the comparison goes back, in seconds.
  static let reach = 60.0
  /// One report in so many seconds is kept.
  private static let step = 10.0
  /// After a longer pause, what was before is of no use any more.
  private static let longestPause = 30.0

  /// The newest report; nil before the first.
  private(set) var newest: ServerReport?
  /// The one before it; nil if there is none of this server.
  private(set) var previous: ServerReport?
  /// The oldest first.
  private var kept: [ServerReport] = []

  /// The report of about a minute ago, or the first since somebody looks; nil if there is only one.
  var base: ServerReport? { kept.first.flatMap { $0.time == newest?.time ? nil : $0 } }

  /// Takes a report.
  mutating func add(_ report: ServerReport) {
    if let newest, report.started == newest.started,
      (0...Self.longestPause).contains(report.time - newest.time)
    {
      // The same moment once more tells only what has become known of it.
      if report.time > newest.time { previous = newest }
    } else {
      previous = nil
      kept = []
    }
    newest = report
    if report.time - (kept.last?.time ?? -.infinity) >= Self.step { kept.append(report) }
    // The first one is the newest that is old enough.
    while kept.count > 1, report.time - kept[1].time >= Self.reach { kept.removeFirst() }
  }
}
