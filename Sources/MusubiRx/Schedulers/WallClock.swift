// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The real time, for lines that people read.
enum WallClock {
  static func stamp() -> String { Date().formatted(.iso8601) }
}
