// SPDX-License-Identifier: Apache-2.0

/// Decides when a room's further inputs wait, because effects that overlap would keep it from ever being
/// stored.
///
/// ```
/// effects   ▬▬▬▬                    a room is stored while none is open
///             ▬▬▬▬
///                ▬▬▬▬               for a second nobody notices
///                  ┆ ▬▬▬▬           those that were open then have ended: inputs wait
///                  ┆                all have ended: a commit takes the room along, and inputs go on
/// ```
/// An effect that takes long holds nobody's inputs: to wait would not have it end sooner. A hold that comes
/// to no end, because such an effect is among those that are open, or the store is slow, is given up.
struct EffectOverlap {
  /// So long a room may go without being stored before its inputs wait.
  static let patience: Duration = .seconds(1)
  /// So long inputs wait at most.
  static let longestHold: Duration = .seconds(2)
  /// So long they do not wait after they have waited in vain.
  static let pause: Duration = .seconds(10)

  /// The numbers of the effects that have not finished.
  private var open: Set<Int> = []
  private var newest = 0
  /// When the first effect began since a commit took the room along; nil if none has.
  private var since: Duration?
  /// Effects up to this number end before inputs wait; nil as long as the patience lasts.
  private var barrier: Int?
  /// Until when inputs wait; nil if they do not.
  private var end: Duration?

  /// An effect begins.
  ///
  /// - Parameter now: The time on the loop's clock.
  /// - Returns: Its number.
  mutating func begin(at now: Duration) -> Int {
    newest += 1
    open.insert(newest)
    since = since ?? now
    return newest
  }

  /// An effect has finished.
  ///
  /// - Parameter number: Its number.
  mutating func finish(_ number: Int) { open.remove(number) }

  /// Whether inputs wait from now on.
  ///
  /// - Parameter now: The time on the loop's clock.
  /// - Returns: Until when they wait at most; nil if they do not, or did before.
  mutating func hold(at now: Duration) -> Duration? {
    if let end {
      guard now >= end else { return nil }
      (self.end, since, barrier) = (nil, now + Self.pause - Self.patience, nil)
    }
    guard let since, now - since >= Self.patience else { return nil }
    let barrier = barrier ?? newest
    self.barrier = barrier
    guard open.allSatisfy({ $0 > barrier }) else { return nil }
    end = now + Self.longestHold
    return end
  }

  /// A commit takes the room along.
  ///
  /// - Returns: Whether inputs have waited for that.
  mutating func wasTaken() -> Bool {
    defer { (since, barrier, end) = (nil, nil, nil) }
    return end != nil
  }
}
