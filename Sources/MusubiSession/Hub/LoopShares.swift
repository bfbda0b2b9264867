// SPDX-License-Identifier: Apache-2.0

/// Divides a loop's time among its rooms: which of them have had their share of the loop's turn, and who waits.
///
/// Costs one look at the clock for each turn, and one for every eighth message as long as messages are cheap.
struct LoopShares {
  /// The time of the loop's turn, as of its first message.
  private(set) var turnTime: Duration = .zero
  /// Whether some room has had its share, or has messages that wait.
  private(set) var isCrowded = false
  /// Connections that are not read from for a while, because their sessions sent too much.
  var throttled = DeadlineQueue<ConnectionID>()
  /// The rooms with connections that wait, in the order in which they are served.
  var waitingRooms: [Room] = []

  private let clock: () -> Duration
  private let share: Duration
  private var turn = 1
  private var isInTurn = false
  private var mark: Duration = .zero
  private var unmeasured = 0
  /// How many messages are handled between two looks at the clock.
  private var stride = 1
  private var cheapMessages = 0

  private static let longStride = 8
  /// Messages that cost more are measured one by one.
  private static let cheap: Duration = .microseconds(200)

  init(clock: @escaping () -> Duration, share: Duration) {
    self.clock = clock
    self.share = share
  }

  /// When waiting messages are to be handled; the beginning of time stands for the loop's next turn.
  var nextDeadline: Duration? { waitingRooms.isEmpty ? throttled.nextDeadline : .zero }

  /// A message is about to be handled.
  mutating func begin() {
    guard !isInTurn else { return }
    isInTurn = true
    unmeasured = 0
    turnTime = clock()
    mark = turnTime
  }

  /// A message has been handled.
  ///
  /// - Returns: Whether the time of it, and of those that were not measured before it, is to be charged.
  mutating func isDue() -> Bool {
    unmeasured += 1
    return unmeasured >= stride
  }

  /// A message of the room has been handled, and is to be charged.
  mutating func charge(_ room: Room) {
    let now = clock()
    let spent = now - mark
    mark = now
    cheapMessages = spent > Self.cheap * unmeasured ? 0 : cheapMessages + unmeasured
    // Cheap messages between costly ones must not hide these.
    stride = cheapMessages > 1_000 ? Self.longStride : 1
    unmeasured = 0
    if room.share.turn != turn { (room.share.turn, room.share.spent) = (turn, .zero) }
    room.share.spent += spent
    if room.share.spent >= share { isCrowded = true }
  }

  /// Whether the room has had its share of this turn.
  func isSpent(_ room: Room) -> Bool { room.share.turn == turn && room.share.spent >= share }

  mutating func endTurn() {
    guard isInTurn || isCrowded else { return }
    isInTurn = false
    turn += 1
    isCrowded = !waitingRooms.isEmpty
  }
}

/// A room's part in the loop's time.
struct RoomShare {
  /// The turn of the loop that `spent` is about.
  fileprivate(set) var turn = 0
  /// The time that its messages have taken in that turn.
  fileprivate(set) var spent: Duration = .zero
  /// Its connections with messages that wait, in the order in which they are served.
  var waiting: [Connection] = []
  /// Whether the room is among those that are served.
  var isQueued = false
}

/// Messages of a connection that wait for their turn.
struct HeldMessages {
  private var messages: [(bytes: [UInt8], isText: Bool)] = []

  var isEmpty: Bool { messages.isEmpty }

  mutating func append(_ message: UnsafeRawBufferPointer, isText: Bool) {
    messages.append((Array(message), isText))
  }

  /// Takes the oldest out; only if there is one.
  mutating func removeFirst() -> (bytes: [UInt8], isText: Bool) { messages.removeFirst() }

  /// Whether more wait than a page that does nothing wrong sends at once.
  var areMany: Bool { messages.count > 1 }
}
