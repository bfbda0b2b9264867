// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// The way to one other loop: what this turn has for it, and how much of it is under way.
struct Lane {
  /// What is handed over at the end of the turn.
  var batch: LoopBatch
  /// Bytes of messages that the other loop has not handled yet.
  var unhandledBytes = 0
  /// The connections that are not read from until it has caught up.
  var paused: Set<ConnectionID> = []

  /// Above this, connections that send there are not read from; below half of it they are again.
  static let highWaterBytes = 1 << 20

  init(from loop: Int) { batch = LoopBatch(from: loop) }

  mutating func append(_ message: UnsafeRawBufferPointer, isText: Bool, from id: ConnectionID) {
    let begin = batch.bytes.count
    batch.bytes.append(contentsOf: message)
    batch.items.append(.message(id, begin..<batch.bytes.count, isText: isText))
    unhandledBytes += message.count
  }
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
