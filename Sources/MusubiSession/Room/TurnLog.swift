// SPDX-License-Identifier: Apache-2.0

/// The newest turns of a room, shared by all its connections; bounded in number and bytes.
///
/// A connection holds only its position. When the log no longer reaches back to it, the connection gets a snapshot.
struct TurnLog {
  private var turns: [Turn] = []
  private var start = 0
  private var bytes = 0
  /// The sequence number of the last turn.
  private(set) var head: Int
  private let limit: TurnLogLimit

  init(head: Int, limit: TurnLogLimit) {
    self.head = head
    self.limit = limit
  }

  mutating func append(_ turn: Turn) {
    turns.append(turn)
    bytes += turn.cost
    head = turn.sequence
    while turns.count - start > limit.turns || (bytes > limit.bytes && turns.count - start > 1) {
      bytes -= turns[start].cost
      start += 1
    }
    // Moves the rest to the front only when at least half of the array is behind it.
    if start > 32, start * 2 > turns.count {
      turns.removeFirst(start)
      start = 0
    }
  }

  /// Whether all turns after a position are here.
  func reaches(back sequence: Int) -> Bool {
    sequence <= head && head - sequence <= Int(turns.count - start)
  }

  /// The turn that follows a position; nil at the head. Only for positions that `reaches` accepts.
  func turn(after sequence: Int) -> Turn? {
    guard sequence < head else { return nil }
    return turns[turns.count - Int(head - sequence)]
  }
}

///
/// ow much of a room's past is kept for connections that fell behind and pages that return.
package struct TurnLogLimit: Equatable, Sendable {
  /// The most turns kept; default 1,024.
  package var turns: Int
  /// The most bytes of encoded turns kept; default 256 KiB. The newest turn is kept whatever it weighs.
  package var bytes: Int

  ///
  ///  limit.
  package init(turns: Int = 1_024, bytes: Int = 256 * 1_024) {
    self.turns = turns
    self.bytes = bytes
  }
}
