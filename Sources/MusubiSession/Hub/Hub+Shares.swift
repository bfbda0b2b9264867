// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// Overload: sessions that send too much are read from more slowly, and no room keeps the loop from the others.
///
/// A message whose turn has not come is held, and its connection is not read from until it has: the rest waits where it
/// comes from. Within a room connections are served in rotation, one message each; between rooms each turn of the loop
/// gives everybody a share.
extension Hub {
  /// Whether a message of the connection has to wait.
  func mustWait(_ connection: Connection) -> Bool {
    if connection.isThrottled || connection.isWaiting { return true }
    guard shares.isCrowded, let room = connection.account else { return false }
    return shares.isSpent(room) || !room.share.waiting.isEmpty
  }

  /// Keeps a message until its turn comes.
  func hold(_ message: UnsafeRawBufferPointer, isText: Bool, of connection: Connection) {
    connection.held.append(message, isText: isText)
    // Asked for again with each message: another loop may have begun to read meanwhile.
    if connection.held.areMany { transport.setReading(connection.id, false) }
    if !connection.isThrottled, !connection.isWaiting { enqueue(connection) }
  }

  /// A message has been handled: counts it, and the time that it took.
  func charge(_ connection: Connection) {
    if shares.isDue(), let room = connection.account { shares.charge(room) }
    guard let rate = configuration.messageRate, let session = connection.session else { return }
    let now = shares.turnTime
    if session.bucket == nil { session.bucket = Session.Bucket(TokenBucket(rate, at: now)) }
    guard let wait = session.bucket?.tokens.take(rate, at: now), !connection.isThrottled else { return }
    connection.isThrottled = true
    transport.setReading(connection.id, false)
    shares.throttled.insert(connection.id, at: now + wait)
    environment.observe?(.slowedDown(session: session.id))
  }

  /// Reads again from those that have waited long enough.
  func releaseThrottled(at now: Duration) {
    while let id = shares.throttled.take(at: now) {
      guard let connection = connections[id] else { continue }
      connection.isThrottled = false
      if connection.held.isEmpty {
        readAgain(connection)
      } else if !connection.isWaiting {
        enqueue(connection)
      }
    }
  }

  /// Serves the rooms whose connections wait, each up to its share of the turn.
  func serveWaiting() {
    guard !shares.waitingRooms.isEmpty else { return }
    let rooms = shares.waitingRooms
    shares.waitingRooms = []
    for room in rooms {
      while !room.share.waiting.isEmpty, !shares.isSpent(room) { serveOne(of: room) }
      room.share.isQueued = !room.share.waiting.isEmpty
      if room.share.isQueued { shares.waitingRooms.append(room) }
    }
  }

  /// Handles one message of the connection that has waited longest; if it has more, it waits behind the others.
  private func serveOne(of room: Room) {
    let connection = room.share.waiting.removeFirst()
    connection.isWaiting = false
    guard connection.state != .closing, !connection.held.isEmpty else { return }
    let message = connection.held.removeFirst()
    message.bytes.withUnsafeBytes { handle($0, isText: message.isText, from: connection) }
    guard !connection.isThrottled else { return }
    if connection.held.isEmpty { readAgain(connection) } else { enqueue(connection) }
  }

  /// Handles at once what a connection has sent before it went.
  func handleHeld(of connection: Connection) {
    while connection.state != .closing, !connection.held.isEmpty {
      let message = connection.held.removeFirst()
      message.bytes.withUnsafeBytes { handle($0, isText: message.isText, from: connection) }
    }
  }

  private func enqueue(_ connection: Connection) {
    // A connection without a room sends one frame, and is not held up.
    guard let room = connection.account else { return handleHeld(of: connection) }
    connection.isWaiting = true
    room.share.waiting.append(connection)
    guard !room.share.isQueued else { return }
    room.share.isQueued = true
    shares.waitingRooms.append(room)
  }

  private func readAgain(_ connection: Connection) {
    guard connection.state != .closing else { return }
    transport.setReading(connection.id, true)
  }
}

extension Connection {
  /// The room whose share of the loop the connection's messages count towards.
  var account: Room? { session?.members.first?.room }
}
