// SPDX-License-Identifier: Apache-2.0

/// Divides a loop's time among its rooms: which of them have had their share of the iteration, and who waits.
///
/// Costs one look at the clock for each iteration, and one for every eighth message as long as messages are cheap.
final class LoopShares {
  /// The time of the iteration, as of its first message.
  private(set) var iterationTime: Duration = .zero
  /// Whether some room has had its share, or has messages that wait.
  private(set) var isCrowded = false
  /// Visits whose connections are not read from for a while, because their sessions sent too much.
  var throttled = DeadlineQueue<Weak<Visit>>()
  /// The rooms with visits that wait, in the order in which they are served.
  var waitingRooms: [Room] = []

  private let clock: () -> Duration
  private let share: Duration
  private var iteration: UInt32 = 1
  private var isInIteration = false
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

  /// When waiting messages are to be handled; the beginning of time stands for the next iteration.
  var nextDeadline: Duration? { waitingRooms.isEmpty ? throttled.nextDeadline : .zero }

  /// A message is about to be handled.
  func begin() {
    guard !isInIteration else { return }
    isInIteration = true
    unmeasured = 0
    iterationTime = clock()
    mark = iterationTime
  }

  /// A message has been handled.
  ///
  /// - Returns: Whether the time of it, and of those that were not measured before it, is to be charged.
  func isDue() -> Bool {
    unmeasured += 1
    return unmeasured >= stride
  }

  /// A message of the room has been handled, and is to be charged.
  ///
  /// - Returns: The time since the last look at the clock, mostly that of this message alone.
  func charge(_ room: Room) -> Duration {
    let now = clock()
    let spent = now - mark
    mark = now
    cheapMessages = spent > Self.cheap * unmeasured ? 0 : cheapMessages + unmeasured
    // Cheap messages between costly ones must not hide these.
    stride = cheapMessages > 1_000 ? Self.longStride : 1
    unmeasured = 0
    if room.share.iteration != iteration { (room.share.iteration, room.share.spent) = (iteration, .zero) }
    room.share.spent += spent
    if room.share.spent >= share { isCrowded = true }
    return spent
  }

  /// An iteration took so long that its messages were no cheap ones: the next ones are measured one by one.
  func suspect() { (stride, cheapMessages) = (1, 0) }

  /// Whether the room has had its share of this iteration.
  func isSpent(_ room: Room) -> Bool { room.share.iteration == iteration && room.share.spent >= share }

  func endIteration() {
    guard isInIteration || isCrowded else { return }
    isInIteration = false
    iteration &+= 1
    isCrowded = !waitingRooms.isEmpty
  }
}

/// A room's part in the loop's time.
///
/// Each message looks at it, so what hardly ever changes is replaced as a whole: then looking needs no checks.
struct RoomShare {
  /// The iteration that `spent` is about.
  fileprivate(set) var iteration: UInt32 = 0
  /// Whether the room is among those that are served.
  var isQueued = false
  /// The time that its messages have taken in that iteration.
  fileprivate(set) var spent: Duration = .zero
  /// Its visits with messages that wait, in the order in which they are served.
  var waiting: [Weak<Visit>] = []

  /// The share when the first that waits is served.
  var withoutFirst: RoomShare {
    var share = self
    share.waiting.removeFirst()
    return share
  }

  /// The share when one more waits.
  func with(_ visit: Visit) -> RoomShare {
    var share = self
    share.waiting.append(Weak(visit))
    return share
  }
}

/// Messages of a visit that wait for their turn.
struct HeldMessages {
  private var messages: [Message] = []

  /// The oldest first.
  var all: [Message] { messages }

  struct Message {
    let bytes: [UInt8]
    let isText: Bool
    let arrival: Duration
  }

  var isEmpty: Bool { messages.isEmpty }

  mutating func append(_ message: UnsafeRawBufferPointer, isText: Bool, at arrival: Duration) {
    messages.append(Message(bytes: Array(message), isText: isText, arrival: arrival))
  }

  /// Puts a text back before all others.
  mutating func putBack(_ message: UnsafeRawBufferPointer, from arrival: Duration) {
    messages.insert(Message(bytes: Array(message), isText: true, arrival: arrival), at: 0)
  }

  /// Takes the oldest out; only if there is one.
  mutating func removeFirst() -> Message { messages.removeFirst() }

  var bytes: Int { messages.reduce(0) { $0 + 32 + $1.bytes.capacity } }

  /// Whether more wait than a page that does nothing wrong sends at once.
  var areMany: Bool { messages.count > 1 }
}
