// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// The way to one other loop: what this iteration has for it, and the connections that it is about.
final class LoopLink {
  /// The place of the other loop.
  let other: Int
  /// Whether what is handed over leaves at once; if not, the frames for its connections wait where they are.
  var isFlowing = true
  /// Who is in rooms that the other loop follows, as it has changed since the last batch.
  var presence: [RoomKey: Presence] = [:]
  /// The number of this loop.
  private let loop: Int
  /// The batch that is handed over at the end of the iteration.
  var batch: LoopBatch
  /// Connections from here that are served there.
  var visits: [Int: VisitProxy] = [:]
  /// Connections from there that are served here.
  var connections: [Int: ConnectionProxy] = [:]
  /// Those of them for which something waits.
  var awake: [ConnectionProxy] = []
  /// Audiences there for which turns wait.
  var awakeAudiences: [Audience] = []
  /// Audiences there that somebody wants to join.
  private var wanted: [Audience] = []
  private var lastAudience = 0
  /// Connections from here that are in audiences there, by the audiences' numbers.
  private(set) var seats: [Int: Seats] = [:]
  /// Bytes of messages that were ever put into a batch.
  private var sentBytes = 0
  /// Whether more than `highWaterBytes` are on the way, and nobody who sends there is read from.
  private var isFull = false
  /// How many of them the other loop has handled; it does so in order.
  private var handledBytes = 0
  /// The connections that are not read from until it has handled so many bytes, in the order of these.
  private var paused: [(visit: VisitProxy, until: Int)] = []

  /// No further frames are handed to another node once a batch has so many bytes of them.
  private let maxFrameBytes: Int

  /// With more than this on the way, no connection that sends there is read from.
  private static let highWaterBytes = 1 << 20
  /// A connection of which more than this may be on the way is not read from.
  private static let windowBytes = 1 << 16

  init(from loop: Int, to other: Int) {
    self.loop = loop
    self.other = other
    maxFrameBytes = Place.isRemote(other) ? 1 << 20 : .max
    batch = LoopBatch(from: loop)
  }

  /// Takes what there is for the other loop; nil if there is nothing.
  func takeBatch() -> LoopBatch? {
    if isFlowing {
      handOut()
      if !presence.isEmpty {
        for (key, presence) in presence.sorted(by: { $0.key.text < $1.key.text }) {
          batch.items.append(.presence(key, presence))
        }
        presence = [:]
      }
    }
    guard !batch.isEmpty else { return nil }
    let taken = batch
    batch = LoopBatch(from: loop)
    return taken
  }

  /// Whether it takes further values, commands and answers of shared models.
  var takesModels: Bool { isFlowing && batch.modelBytes < maxFrameBytes }

  /// Whether a further batch can be taken at once.
  var hasMore: Bool { isFlowing && !(awake.isEmpty && awakeAudiences.isEmpty) }

  private func handOut() {
    guard !(awake.isEmpty && awakeAudiences.isEmpty) else { return }
    let messageBytes = batch.bytes.count
    let woken = awake
    awake.removeAll(keepingCapacity: true)
    // Who has something of its own gets it between the turns to which it belongs.
    for connection in woken { connection.leaveAudience() }
    let audiences = awakeAudiences
    awakeAudiences = []
    for audience in audiences { audience.handOut() }
    handOut(to: woken, messageBytes)
    let wanted = wanted
    self.wanted = []
    for audience in wanted { audience.letIn() }
  }

  private func handOut(to woken: [ConnectionProxy], _ messageBytes: Int) {
    for (place, connection) in woken.enumerated() {
      guard batch.bytes.count - messageBytes + batch.sharedBytes < maxFrameBytes else {
        // Who is woken meanwhile comes behind those who wait.
        awake = woken[place...] + awake
        return
      }
      connection.handOut()
    }
  }

  // MARK: - Audiences

  /// The number of a new audience there.
  func newAudience() -> Int {
    lastAudience += 1
    return lastAudience
  }

  /// A connection from there wants to join an audience, and does when all that waits is handed out.
  func apply(_ connection: ConnectionProxy, for audience: Audience) {
    if audience.apply(connection) { wanted.append(audience) }
  }

  /// A connection from here is in an audience there.
  func seat(_ number: Int, in audience: Int) {
    guard let visit = visits[number] else { return }
    let seats = self.seats[audience] ?? Seats()
    self.seats[audience] = seats
    seats.add(visit)
  }

  /// A connection from here is no longer in an audience there.
  func unseat(_ number: Int, from audience: Int) {
    guard let seats = seats[audience] else { return }
    if let visit = visits[number] { seats.remove(visit) }
    if seats.visits.isEmpty { self.seats[audience] = nil }
  }

  /// The link has ended, and with it all that it served.
  func end() {
    let (pages, guests) = (visits, connections)
    (visits, connections, awake, paused) = ([:], [:], [], [])
    (seats, awakeAudiences) = ([:], [])
    presence = [:]
    for (_, visit) in pages.sorted(by: { $0.key < $1.key }) { visit.linkEnded() }
    for (_, connection) in guests.sorted(by: { $0.key < $1.key }) { connection.closed(saidFarewell: false) }
  }

  /// Sends a message there.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - isText: Whether it is text.
  ///   - visit: Whose it is.
  ///   - window: What its connection has on the way.
  /// - Returns: Whether the connection has to wait for the other loop; `handled` tells it when it need no longer.
  func send(
    _ message: UnsafeRawBufferPointer, isText: Bool, from visit: VisitProxy, _ window: inout LinkWindow
  ) -> Bool {
    let begin = batch.bytes.count
    batch.bytes.append(contentsOf: message)
    batch.items.append(.message(visit.number, begin..<batch.bytes.count, isText: isText))
    sentBytes += message.count
    if handledBytes >= window.start { window = LinkWindow(start: sentBytes) }
    window.bytes += message.count
    guard window.bytes > Self.windowBytes || sentBytes - handledBytes > Self.highWaterBytes else {
      return false
    }
    paused.append((visit, until: sentBytes))
    if sentBytes - handledBytes > Self.highWaterBytes, !isFull {
      isFull = true
      // Those that have sent nothing yet in this iteration need not begin.
      for other in visits.values where other !== visit && other.pause() {
        paused.append((other, until: sentBytes))
      }
    }
    return true
  }

  /// The other loop has handled messages of so many bytes.
  func handled(_ bytes: Int) {
    handledBytes += bytes
    if sentBytes - handledBytes <= Self.highWaterBytes { isFull = false }
    while let first = paused.first, first.until <= handledBytes {
      paused.removeFirst()
      first.visit.caughtUp(self)
    }
  }
}

/// The bytes of a connection on the way to another loop: no more than it has sent since `start`, and before
/// it as much.
///
/// The other loop tells how much it has handled of all connections together: once that is more than `start`, what this
/// one had sent by then is handled, and a new window begins.
struct LinkWindow {
  /// The link's `sentBytes` when the window began.
  var start = 0
  /// The bytes that the connection has sent since.
  var bytes = 0
}
