// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// The way to one other loop: what this turn has for it, and how much of it is under way.
struct Lane {
  /// What is handed over at the end of the turn.
  var batch: LoopBatch
  /// Bytes of messages that were ever put into a batch.
  private(set) var sentBytes = 0
  /// How many of them the other loop has handled; it does so in order.
  private(set) var handledBytes = 0
  /// The connections that are not read from until it has handled so many bytes, in the order of these.
  private var paused: [(id: ConnectionID, until: Int)] = []

  /// With more than this on the way, no connection that sends there is read from.
  private static let highWaterBytes = 1 << 20
  /// A connection of which more than this may be on the way is not read from.
  private static let windowBytes = 1 << 16

  init(from loop: Int) { batch = LoopBatch(from: loop) }

  mutating func append(_ message: UnsafeRawBufferPointer, isText: Bool, from id: ConnectionID) {
    let begin = batch.bytes.count
    batch.bytes.append(contentsOf: message)
    batch.items.append(.message(id, begin..<batch.bytes.count, isText: isText))
    sentBytes += message.count
  }

  /// Counts a message that was put into the batch.
  ///
  /// - Parameters:
  ///   - id: The connection that has sent it.
  ///   - bytes: The message's size.
  ///   - window: What the connection has on the way.
  /// - Returns: Whether the connection has to wait for the other loop; a later `resume` gives it back then.
  mutating func mustPause(_ id: ConnectionID, after bytes: Int, _ window: inout LaneWindow) -> Bool {
    if handledBytes >= window.start { window = LaneWindow(start: sentBytes) }
    window.bytes += bytes
    guard window.bytes > Self.windowBytes || sentBytes - handledBytes > Self.highWaterBytes else {
      return false
    }
    paused.append((id, until: sentBytes))
    return true
  }

  /// The other loop has handled messages.
  ///
  /// - Parameter bytes: The size of them.
  /// - Returns: The connections that had to wait for it.
  mutating func resume(handled bytes: Int) -> [ConnectionID] {
    handledBytes += bytes
    guard let first = paused.first, first.until <= handledBytes else { return [] }
    let count = paused.firstIndex { $0.until > handledBytes } ?? paused.count
    defer { paused.removeFirst(count) }
    return paused[..<count].map(\.id)
  }
}

/// What a connection has on the way to another loop: no more than it has sent since `start`, and before it as much.
///
/// The other loop tells how much it has handled of all connections together: once that is more than `start`, what this
/// one had sent by then is handled, and a new window begins.
struct LaneWindow {
  /// The lane's `sentBytes` when the window began.
  var start = 0
  /// What the connection has sent since.
  var bytes = 0
}

/// The frames that a connection of another loop gets, on their way into the batch.
struct LaneSink: FrameSink {
  static let shares = true

  private let id: ConnectionID
  private(set) var batch: LoopBatch
  private(set) var count = 0
  /// The last item that concerns this connection; what follows must not come before it.
  private var lastItem = -1

  /// Takes the batch over, to be given back by `batch`.
  init(_ batch: consuming LoopBatch, id: ConnectionID) {
    self.batch = batch
    self.id = id
  }

  mutating func append(own frame: some Collection<UInt8>) {
    let begin = batch.bytes.count
    batch.bytes.append(contentsOf: frame)
    noteOwn(from: begin)
  }

  mutating func append(atMost most: Int, _ body: (inout ReservedBytes) -> Void) {
    let begin = batch.bytes.count
    batch.bytes.append(atMost: most, body)
    noteOwn(from: begin)
  }

  private mutating func noteOwn(from begin: Int) {
    count += batch.bytes.count - begin
    if lastItem >= 0, lastItem == batch.items.count - 1, case .own(_, let range) = batch.items[lastItem] {
      batch.items[lastItem] = .own(id, range.lowerBound..<batch.bytes.count)
      return
    }
    batch.items.append(.own(id, begin..<batch.bytes.count))
    lastItem = batch.items.count - 1
  }

  mutating func append(_ frames: SharedFrames) {
    count += frames.bytes.count
    lastItem = batch.add(id, to: frames, after: lastItem)
  }
}

extension LoopBatch {
  /// Gives frames to one more connection.
  ///
  /// - Parameters:
  ///   - id: Who gets them.
  ///   - frames: The frames.
  ///   - last: The item that they must come after.
  /// - Returns: The item that they are in.
  fileprivate mutating func add(_ id: ConnectionID, to frames: SharedFrames, after last: Int) -> Int {
    if let index = sharedItems[ObjectIdentifier(frames)], index > last,
      case .shared(let same, var ids) = items[index]
    {
      // Taken out before the change, so that the list is not copied.
      items[index] = .shared(same, [])
      ids.append(id)
      items[index] = .shared(same, ids)
      return index
    }
    items.append(.shared(frames, [id]))
    sharedItems[ObjectIdentifier(frames)] = items.count - 1
    return items.count - 1
  }
}
