// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A moment of the calendar, for log lines and the `Date` header field.
package struct Timestamp {
  private var seconds: time_t
  private var nanoseconds: Int

  private init(seconds: time_t, nanoseconds: Int) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// A moment of the calendar.
  package init(secondsSince1970: Double) { self.init(seconds: time_t(secondsSince1970), nanoseconds: 0) }

  /// The present moment by the machine's clock.
  static var now: Self {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Self(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
  }

  /// As RFC 3339 has it, in UTC, with milliseconds.
  var text: String {
    let milliseconds = String(1_000 + nanoseconds / 1_000_000).dropFirst()
    return formatted("%Y-%m-%dT%H:%M:%S") + ".\(milliseconds)Z"
  }

  /// As HTTP has it (RFC 9110, section 5.6.7).
  package var httpDate: String { formatted("%a, %d %b %Y %H:%M:%S GMT") }

  private func formatted(_ format: String) -> String {
    var seconds = seconds
    var parts = tm()
    gmtime_r(&seconds, &parts)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      guard let start = text.baseAddress, strftime(start, text.count, format, &parts) > 0 else { return "" }
      return String(cString: start)
    }
  }
}
