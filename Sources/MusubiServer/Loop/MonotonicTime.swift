// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The clock that only moves forward.
package enum MonotonicTime {
  /// The time since some moment in the past that does not change while the machine runs.
  package static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Duration(
      secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
  }
}

extension Duration {
  /// The duration in seconds, rounded as `Double` does.
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
