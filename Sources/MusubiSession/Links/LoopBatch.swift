// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// The messages of one loop for another at the end of an iteration: handed over as a whole, taken in order.
///
/// ```
/// the loop that accepted a connection            the connection's home, where its session lives
///   opened, message, closed, fetched,   ───▶
///   buffered, lags
///                                       ◀───    own, shared, close, reading, returned,
///                                               moved, seat, left, turns
/// ```
///
/// Connections have the numbers that the accepting loop gave them. To a loop of another node it goes as bytes.
package struct LoopBatch: Sendable {
  /// One thing that happened to a connection.
  enum Item: Sendable {
    /// It has opened. `refusal`: it tried to resume elsewhere, and begins a session instead.
    case opened(Int, ConnectionRequest, refusal: ResumeRefusal?)
    /// It has sent a message; the range is that of `bytes`.
    case message(Int, Range<Int>, isText: Bool)
    /// It has gone.
    case closed(Int, saidFarewell: Bool)
    /// So many bytes for it were handed to its socket.
    case fetched(Int, bytes: Int)
    /// So many bytes of its page's wait at the loop that accepted it.
    case buffered(Int, bytes: Int)
    /// Frames for it alone; the range is that of `bytes`.
    case own(Int, Range<Int>)
    /// Frames for several connections.
    case shared(SharedFrames, [Int])
    /// It gets the turns of an audience from now on.
    case seat(Int, audience: Int)
    /// It no longer does.
    case unseat(Int, audience: Int)
    /// Turns for an audience.
    case turns(SharedFrames, audience: Int)
    /// It does not take all that waits for it, or has taken it.
    case lags(Int, Bool)
    /// It is to be closed after what came before.
    case close(Int, ConnectionEnd)
    /// Whether it is to be read from.
    case reading(Int, Bool)
    /// Its page has come back to a session.
    case returned(Int)
    /// Its session is not here: it begins one at the home of its room.
    case moved(Int, ResumeRefusal)
    /// It is about a shared model, and no connection.
    case model(ModelMessage)
    /// The slot is the receiver's from now on, with what is stored in it.
    case adopt(slot: Int, StoredState, SlotMove)
    /// The slot is the sender's.
    case adopted(slot: Int, SlotMove)
    /// The slot leaves the sender; whoever gets it tells.
    case left(slot: Int, SlotMove)
    /// Somebody was signed out, of which the directory tells.
    case signedOut
    /// The sender's screens follow who is in a room, or no longer do.
    case follow(RoomKey, Bool)
    /// Who is in a room.
    case presence(RoomKey, Presence)
  }

  /// The place of the loop that it comes from.
  package let sender: Int
  var items: [Item] = []
  /// The bytes of all messages and own frames, one after the other.
  var bytes: [UInt8] = []
  /// How many bytes of messages from the receiver were handled here.
  var handledBytes = 0
  /// Where frames for several connections are in `items`, so that further ones join them.
  private var sharedItems: [ObjectIdentifier: Int] = [:]
  /// The bytes of frames for several connections.
  private(set) var sharedBytes = 0
  /// About so many bytes of shared models' values, commands and answers.
  private(set) var modelBytes = 0

  init(from sender: Int) { self.sender = sender }

  var isEmpty: Bool { items.isEmpty && handledBytes == 0 }

  /// Adds a message about a shared model.
  mutating func add(_ message: ModelMessage) {
    items.append(.model(message))
    modelBytes += message.sentBytes
  }

  /// Gives frames to one more connection.
  ///
  /// - Parameters:
  ///   - number: Who gets them.
  ///   - frames: The frames.
  ///   - last: The item that they must come after.
  /// - Returns: The item that they are in.
  mutating func add(_ number: Int, to frames: SharedFrames, after last: Int) -> Int {
    if let index = sharedItems[ObjectIdentifier(frames)], index > last,
      case .shared(let same, var numbers) = items[index]
    {
      // Taken out before the change, so that the list is not copied.
      items[index] = .shared(same, [])
      numbers.append(number)
      items[index] = .shared(same, numbers)
      return index
    }
    items.append(.shared(frames, [number]))
    if sharedItems.updateValue(items.count - 1, forKey: ObjectIdentifier(frames)) == nil {
      sharedBytes += frames.bytes.count
    }
    return items.count - 1
  }

  /// How many stretches of turns it has for audiences.
  package var audienceTurns: Int { items.count { if case .turns = $0 { true } else { false } } }

  /// Gives frames to an audience.
  mutating func add(_ frames: SharedFrames, forAudience number: Int) {
    items.append(.turns(frames, audience: number))
    if sharedItems[ObjectIdentifier(frames)] == nil { sharedBytes += frames.bytes.count }
  }
}
