// SPDX-License-Identifier: Apache-2.0
import MusubiSession
package import MusubiStorage

/// How far a node has ended the sessions of visitors who were signed out.
///
/// It does nothing itself.
package struct SignOutProgress {
  /// The last one that it has heard of.
  private var last: Int
  /// How many loops are to end theirs, by the sign-outs' numbers.
  private var open: [Int: Int] = [:]
  /// Those that came while slots were read, whose readers did not know them.
  private var recent: [DirectorySignOut] = []
  /// How many readings of slots are not with their loops yet.
  private var readings = 0
  /// How far the directory knows.
  private var told: Int

  /// - Parameter number: The last sign-out of before the node came.
  package init(after number: Int = 0) { (last, told) = (number, number) }

  /// The node hears of sign-outs, and so many loops end their sessions.
  package mutating func hear(_ signOuts: [DirectorySignOut], loops: Int) {
    for signOut in signOuts {
      last = max(last, signOut.number)
      open[signOut.number] = loops
    }
    if readings > 0 { recent += signOuts }
  }

  /// A loop has ended the sessions of a sign-out, and that is stored.
  package mutating func loopEnded(_ number: Int) {
    guard let left = open[number] else { return }
    open[number] = left > 1 ? left - 1 : nil
  }

  /// The number up to which all sessions have ended; nil if the directory knows.
  package var untold: Int? {
    let done = open.keys.min().map { $0 - 1 } ?? last
    return done > told ? done : nil
  }

  /// The directory knows.
  package mutating func tell(_ number: Int) { told = number }

  /// Slots are read, and come to their loops later.
  package mutating func beginReading() { readings += 1 }

  /// Slots that were read go to their loops, which hear all sign-outs to come behind them.
  ///
  /// - Parameter slots: The slots.
  /// - Returns: The slots, with the sessions noted that have ended meanwhile: all of them are older than their reading.
  package mutating func endReading(_ slots: [Int: LoadedSlot]) -> [Int: LoadedSlot] {
    readings -= 1
    defer { if readings == 0 { recent = [] } }
    guard !recent.isEmpty else { return slots }
    return slots.mapValues { slot in
      var slot = slot
      for signOut in recent where signOut.number > slot.signOuts { slot.state.signOut(signOut.who) }
      return slot
    }
  }
}
