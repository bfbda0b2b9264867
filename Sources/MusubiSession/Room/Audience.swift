// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// Pages of a room over one link to another node that have all of its turns: further ones go to them once, however many they are.
///
/// ```
/// home                                             the loop that accepted the pages
///   page 7 and page 9 have all     seat 7, 9  ───▶   seats: 7, 9
///   turn 15                        turns 15   ───▶   to 7 and 9
///   9 has sent an input            unseat 9
///                                  turns 16   ───▶   to 7
///                       ack and turn 16 for 9 ───▶   to 9
///                                  seat 9     ───▶   seats: 7, 9
///                                             ◀───   lags 7: its socket does not take all that waits
///                                  unseat 7   ───▶   seats: 9
/// ```
///
/// A page that has something of its own leaves before the next turn, so that everything keeps its place between the turns, and
/// comes back when it has all. While it is there, home neither looks at it nor knows what its socket takes.
final class Audience {
  /// Names it on its link.
  let number: Int
  let encoding: TurnEncoding
  /// Whose turns it gets; nil once that has gone.
  private(set) weak var room: Room?
  private unowned let link: LoopLink
  /// The last turn that was handed out.
  private(set) var position = 0
  /// How many are there.
  private(set) var count = 0
  private var isAwake = false
  /// Pages that want to come in.
  private var candidates: [ConnectionProxy] = []

  init(of room: Room, _ encoding: TurnEncoding, on link: LoopLink, number: Int) {
    self.room = room
    self.encoding = encoding
    self.link = link
    self.number = number
  }

  /// Whether it is the one of a link and an encoding.
  func isOne(of link: LoopLink, _ encoding: TurnEncoding) -> Bool {
    self.link === link && self.encoding == encoding
  }

  /// The room may have turns that it has not.
  func wake() {
    guard !isAwake else { return }
    isAwake = true
    link.awakeAudiences.append(self)
  }

  /// Hands out the turns that there are.
  func handOut() {
    isAwake = false
    guard let room, count > 0 else { return }
    guard room.log.reaches(back: position, as: encoding) else {
      // Each of them gets a snapshot.
      for member in room.members where member.audience === self { member.session.wake() }
      return
    }
    let last = room.released
    var sink = AudienceSink(link, number)
    while position < last {
      let limit = ConnectionProxy.windowBytes - sink.count
      guard limit > 0 else { return wake() }
      position = room.takeTurns(after: position, through: last, as: encoding, limit: limit, into: &sink)
    }
  }

  /// A page wants to come in.
  ///
  /// - Returns: Whether it is the first since others were let in.
  func apply(_ connection: ConnectionProxy) -> Bool {
    candidates.append(connection)
    return candidates.count == 1
  }

  /// Lets in who wants to, if there are enough of them or somebody is there already.
  func letIn() {
    let all = candidates
    candidates = []
    guard let room else { return }
    guard count > 0 || all.count >= room.configuration.leastCrowd else { return room.endIfEmpty(self) }
    if count == 0 { position = room.released }
    for connection in all { connection.enter(self) }
    room.endIfEmpty(self)
  }

  fileprivate func entered() { count += 1 }

  fileprivate func left() { count -= 1 }

  /// The room has gone.
  fileprivate func end() { (room, count) = (nil, 0) }
}

/// A room's pages, where there are many: those that are served one by one, and audiences.
final class RoomCrowd {
  private(set) var singles: [Member] = []
  private(set) var audiences: [Audience] = []
  /// When the next turn may come.
  var nextTurn: Duration = .zero
  /// Whether a turn waits for that, open.
  var isHeldBack = false

  init(_ members: [Member]) {
    for member in members { add(member) }
  }

  /// Has all fetch what is new.
  func wake() {
    for audience in audiences { audience.wake() }
    for member in singles { member.session.wake() }
  }

  fileprivate func add(_ audience: Audience) { audiences.append(audience) }

  fileprivate func remove(_ audience: Audience) { audiences.removeAll { $0 === audience } }

  fileprivate func add(_ member: Member) {
    member.place = singles.count
    singles.append(member)
  }

  fileprivate func remove(_ member: Member) {
    let last = singles.removeLast()
    guard last !== member else { return }
    singles[member.place] = last
    last.place = member.place
  }
}

extension Room {
  /// Whether its open turn waits, because the last one was shortly before and many pages show the room.
  ///
  /// Who has all turns does not know all then: whatever tells more than they do waits for it, too.
  var isHeldBack: Bool { crowd?.isHeldBack ?? false }

  /// Whether so many pages show it that its turns keep some time between them.
  var hasCrowd: Bool { pages >= configuration.leastCrowd }

  /// A turn has come to be.
  func spaceTurns() {
    guard hasCrowd else { return }
    makeCrowd().nextTurn = scheduler.time + configuration.turnPausePerPage * pages
  }

  private func makeCrowd() -> RoomCrowd {
    let crowd = crowd ?? RoomCrowd(members)
    self.crowd = crowd
    return crowd
  }

  /// Has all pages fetch what is new.
  func wakePages() {
    if let crowd { return crowd.wake() }
    for member in members { member.session.wake() }
  }

  /// A member has come.
  func noteArrival(of member: Member) { crowd?.add(member) }

  /// A member goes.
  func noteDeparture(of member: Member) {
    member.leaveAudience()
    crowd?.remove(member)
  }

  /// All members go.
  func scatterCrowd() {
    guard let crowd else { return }
    for member in members { member.audience = nil }
    for audience in crowd.audiences { audience.end() }
    self.crowd = nil
  }

  /// The audience of a link, which may be empty.
  func audience(on link: LoopLink, _ encoding: TurnEncoding) -> Audience {
    let crowd = makeCrowd()
    if let audience = crowd.audiences.first(where: { $0.isOne(of: link, encoding) }) { return audience }
    let audience = Audience(of: self, encoding, on: link, number: link.newAudience())
    crowd.add(audience)
    return audience
  }

  fileprivate func endIfEmpty(_ audience: Audience) {
    if audience.count == 0 { crowd?.remove(audience) }
  }
}

extension Member {
  /// Gets its turns with others from now on.
  ///
  /// - Returns: Whether it does; not if it has other turns than they.
  func join(_ audience: Audience) -> Bool {
    guard self.audience == nil, position == audience.position else { return false }
    room.crowd?.remove(self)
    self.audience = audience
    audience.entered()
    return true
  }

  /// Is served alone from now on, behind the turns that the audience has had.
  func leaveAudience() {
    guard let audience else { return }
    self.audience = nil
    position = audience.position
    audience.left()
    room.crowd?.add(self)
    room.endIfEmpty(audience)
  }
}

/// The turns of an audience, on their way into the batch.
private struct AudienceSink: FrameSink {
  static let shares = true

  private unowned let link: LoopLink
  private let number: Int
  private(set) var count = 0

  init(_ link: LoopLink, _ number: Int) {
    self.link = link
    self.number = number
  }

  mutating func append(own frames: UnsafeBufferPointer<UInt8>) {
    append(
      SharedFrames(
        bytes: Array(frames), encoding: TurnEncoding(followsEdits: false, screen: 0), start: 0, end: 0))
  }

  mutating func write(_ body: (inout ByteBuffer) -> Void) {
    append(own: [UInt8](writing: body))
  }

  mutating func append(_ frames: SharedFrames) {
    count += frames.bytes.count
    link.batch.add(frames, forAudience: number)
  }
}
