// SPDX-License-Identifier: Apache-2.0

/// A connection that was accepted here and is served at home, on another loop.
final class Outpost {
  /// The loop where its session lives.
  var home: Int
  let request: ConnectionRequest
  /// What came after the `resume` frame, until it is known which loop answers it; nil once it is.
  var held: [(bytes: [UInt8], isText: Bool)]?
  /// Whether home wants its messages.
  var isWanted = true
  /// Whether home has to catch up with its messages.
  var isPaused = false
  /// What of its messages is on the way there.
  var window = LaneWindow()
  /// Fetched bytes that home was not yet told of.
  var untoldBytes = 0
  private var waiting: [Piece] = []
  private var start = 0

  private enum Piece {
    case own([UInt8])
    case shared(SharedFrames)
  }

  /// Whether it is read from.
  var isRead: Bool { held == nil && isWanted && !isPaused }

  init(home: Int, request: ConnectionRequest, isResuming: Bool) {
    self.home = home
    self.request = request
    held = isResuming ? [] : nil
  }

  func append(own bytes: ArraySlice<UInt8>) { waiting.append(.own(Array(bytes))) }

  func append(_ frames: SharedFrames) { waiting.append(.shared(frames)) }

  /// Hands out what waits; home bounds it.
  ///
  /// - Returns: Whether more waits.
  func take(limit: Int, into bytes: inout [UInt8]) -> Bool {
    let before = bytes.count
    while start < waiting.count {
      guard bytes.count - before < limit else { break }
      switch waiting[start] {
      case .own(let own): bytes += own
      case .shared(let frames): bytes += frames.bytes
      }
      start += 1
    }
    untoldBytes += bytes.count - before
    guard start == waiting.count else { return true }
    waiting.removeAll(keepingCapacity: waiting.capacity <= 4)
    start = 0
    return false
  }
}
