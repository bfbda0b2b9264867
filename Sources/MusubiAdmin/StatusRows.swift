// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for `Date`, which the browser writes in its own time zone.
import Foundation

/// The values of the status screen, as the page's names have them; texts are in the visitor's language.
enum StatusRows {
  /// What to look at, in a sentence or two.
  struct Verdict: Encodable, Equatable {
    var text = ""
    /// `notice`, `warning` or `danger`.
    var tone = "notice"
  }

  /// The server as a whole.
  struct Server: Encodable, Equatable {
    let started: Date
    let uptime: String
    let connections: String
    let connected: String
    let waiting: String
    let stored: String
    let inputs: String
    let turns: String
    let bytesSent: String
  }

  /// How much of something there is, beside how much there may be.
  struct Share: Encodable, Equatable {
    /// From this per cent on it is near its limit.
    static let near = 85

    let used: String
    let limit: String
    /// 0 to 100, for a meter.
    let level: Int
    let percent: String
    let isNear: Bool

    /// A share; nil without a limit.
    init?(_ used: Int, of limit: Int?, text: (Int) -> String) {
      guard let limit, limit > 0 else { return nil }
      // Rounded down: 85 means 85 at least, and 100 that nothing is left.
      let percent = Int(min(max(0, Double(used)) / Double(limit) * 100, 9_999).rounded(.down))
      self.used = text(used)
      self.limit = text(limit)
      level = min(percent, 100)
      self.percent = "\(percent)%"
      isNear = percent >= Self.near
    }
  }

  /// Something that all loops share.
  struct Budget: Encodable, Equatable {
    let id: String
    let name: String
    let share: Share
  }

  /// An event loop.
  struct Loop: Encodable, Equatable {
    let id: Int
    let name: String
    let lag: String
    let isLate: Bool
    let longest: String
    let isLong: Bool
    let commits: String
    let connections: String
    let bytes: String
    let share: Share?
  }

  /// A busy room.
  struct Room: Encodable, Equatable {
    let id: String
    let screen: String
    let name: String
    let turns: String
    let pages: String
    let bytes: String
    let loop: String
  }

  /// A slow screen.
  struct Screen: Encodable, Equatable {
    let id: String
    let turnHalf: String
    let turnMost: String
    let handOverHalf: String
    let handOverMost: String
    let measured: String
    /// Since when.
    let since: String
  }

  /// A peer that has much.
  struct Peer: Encodable, Equatable {
    let id: String
    let peer: String
    let kind: String
    let share: Share
  }

  /// Something that was refused.
  struct Refusal: Encodable, Equatable {
    let id: String
    let time: Date
    let reason: String
    let peer: String
    let count: String
  }

  /// How often one reason for a refusal has held since the start.
  struct Reason: Encodable, Equatable {
    let id: String
    let count: String
  }
}
