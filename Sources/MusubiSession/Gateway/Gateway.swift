// SPDX-License-Identifier: Apache-2.0
import MusubiBinding

/// One loop's end of the server: it serves the rooms that are at home here, and passes the others' connections on.
///
/// A room is at home on one loop, by its name; a screen in session scope is where its first connection is. A
/// connection stays on the loop that accepted it. Where the two differ, the accepting gateway keeps an `Outpost`, the
/// home gateway a `Guest`, and a `LoopBatch` per turn and direction goes between them. Home keeps a position per
/// guest, as for connections of its own: it hands out frames only as far as the guest's window allows, and the
/// outpost tells what its socket took. Confined to its loop.
package final class Gateway {
  /// Which of the loops this is.
  package let loop: Int
  /// How many there are.
  let loops: Int
  let transport: any Transport
  /// The sessions and rooms that are at home here.
  package private(set) lazy var hub: Hub = makeHub(self)

  var lanes: [Lane]
  var outposts: [ConnectionID: Outpost] = [:]
  /// Connections of this loop whose `resume` frame will tell where they belong.
  var undecided: Set<ConnectionID> = []
  var guests: [ConnectionID: Guest] = [:]
  var awakeGuests: [ConnectionID] = []
  /// Sessions that were stored and are not where their name says, since the number of loops has changed.
  let moved: [String: Int]
  private let makeHub: (any Transport) -> Hub
  private let post: (LoopBatch, Int) -> Void

  /// How many bytes a guest may have under way before home waits for its outpost.
  static let windowBytes = 65_536

  /// A gateway of a loop.
  ///
  /// - Parameters:
  ///   - loop: Which of the loops this is, from 0.
  ///   - loops: How many there are, at most 64.
  ///   - moved: Sessions whose home is not the loop that their name says.
  ///   - transport: Who holds the sockets of this loop; outlives the gateway.
  ///   - post: Has another loop's gateway `take` a batch, in order.
  ///   - makeHub: Makes the hub of this loop.
  package init(
    loop: Int, of loops: Int, moved: [String: Int] = [:], transport: any Transport,
    post: @escaping (LoopBatch, Int) -> Void,
    makeHub: @escaping (any Transport) -> Hub
  ) {
    self.loop = loop
    self.loops = loops
    self.moved = moved
    self.transport = transport
    self.post = post
    self.makeHub = makeHub
    lanes = (0..<loops).map { _ in Lane(from: loop) }
    hub.placement = self
  }

  deinit { hub.placement = nil }

  /// Takes what another loop has handed over.
  package func take(_ batch: LoopBatch) {
    let sender = batch.sender
    for item in batch.items {
      switch item {
      case .opened(let id, let request, let refusal): guestOpened(id, of: sender, request, refusal)
      case .message(let id, let range, let isText):
        lanes[sender].batch.handledBytes += range.count
        batch.bytes.withUnsafeBytes {
          hub.receive(.init(rebasing: $0[range]), isText: isText, from: id.guest(of: sender))
        }
      case .closed(let id): guestClosed(id, of: sender)
      case .fetched(let id, let bytes): guestFetched(id, of: sender, bytes)
      case .own(let id, let range): arrived(at: id, from: sender) { $0.append(own: batch.bytes[range]) }
      case .shared(let frames, let ids):
        for id in ids { arrived(at: id, from: sender) { $0.append(frames) } }
      case .close(let id, let end):
        guard outposts[id]?.home == sender else { continue }
        transport.close(id, end)
      case .reading(let id, let isReading):
        guard let outpost = outposts[id], outpost.home == sender else { continue }
        outpost.isWanted = isReading
        transport.setReading(id, outpost.isRead)
      case .moved(let id, let refusal):
        guard outposts[id]?.home == sender else { continue }
        move(id, refusal)
      }
    }
    handled(batch.handledBytes, by: sender)
  }

  package func endTurn() {
    hub.endTurn()
    handOut()
    for other in lanes.indices where !lanes[other].batch.isEmpty {
      var batch = LoopBatch(from: loop)
      swap(&batch, &lanes[other].batch)
      batch.sharedItems = [:]
      post(batch, other)
    }
  }

  /// The loop where a connection that begins a session is served.
  ///
  /// - Parameters:
  ///   - request: What it asks for.
  ///   - origin: The loop that accepted it.
  /// - Returns: The loop, from 0.
  func home(of request: ConnectionRequest, from origin: Int) -> Int {
    guard case .room(let defaultName) = hub.routes[request.screen]?.scope else { return origin }
    let room = request.query["room"] ?? defaultName
    return RoomKey(screen: request.screen, name: room, isPrivate: false).home(among: loops)
  }
}

extension ConnectionID {
  /// The name that a connection of another loop has in its home's hub.
  func guest(of loop: Int) -> ConnectionID { ConnectionID(rawValue | UInt64(loop + 1) << 48) }

  /// The loop that accepted a guest, and its name there; nil for a connection of the hub's own loop.
  var outpost: (loop: Int, id: ConnectionID)? {
    let loop = Int(rawValue >> 48)
    return loop == 0 ? nil : (loop - 1, ConnectionID(rawValue & (1 << 48 - 1)))
  }
}
