// SPDX-License-Identifier: Apache-2.0
import MusubiText
import MusubiWire

/// A session's view of one room: its position in the room's stream, and the steps of texts that it has not
/// seen.
final class Member {
  /// The member's number in the room; never given twice.
  let number: Int
  /// The room; the session takes the member out of it before it goes.
  unowned let room: Room
  /// The session, which owns the member.
  unowned let session: Session
  /// The screen's number on the session's connections; 0 for the first.
  let screen: Int
  /// One bridge for each text of the room.
  // Unchecked: the checks would be 2 % of an event, all of them together a fifth.
  @exclusivity(unchecked) var bridges: [TextBridge]
  /// The last turn that was handed to the connection, unless it was in an audience.
  var position: Int = 0
  /// With whom it gets its turns, whose position counts then; nil for a page that is served alone.
  var audience: Audience?
  /// Where it is among those who are, in a room with many pages.
  var place = 0
  /// Whether the connection gets the whole state next, instead of turns.
  var needsSnapshot = true
  /// Whether its page is connected, as the screen was told.
  var isConnected = false
  /// Whether another screen of its session lies on top of it.
  var isCovered = false
  /// Whether its session was out of memory while the room was not: it does not know which steps its page has not seen.
  var hasBeenAway = false
  /// The last turn that was part of a snapshot.
  private(set) var snapshotSequence = 0
  /// Whether its page has got nothing yet: a page's first snapshot is followed by all events of its screen.
  var knowsNothing = false
  /// The events that are told again after the snapshot.
  var missedEvents: [StoredRoom.Event] = []
  /// The dialog that is open on the screen.
  @Boxed var dialog: ServerFrame.Event?

  /// The values that the page gets for its visitor alone; nil without a page, and if there is nothing.
  var news: OwnNews?

  /// How a connection gets the turns of the screen.
  func encoding(_ followsEdits: Bool) -> TurnEncoding {
    TurnEncoding(followsEdits: followsEdits, screen: screen)
  }

  /// Whether only a snapshot helps: it was asked for, or the room's log no longer reaches back.
  func isBehind(_ followsEdits: Bool) -> Bool {
    needsSnapshot || !room.log.reaches(back: position, as: encoding(followsEdits))
  }

  /// Hands out the whole state, and continues from it.
  func takeSnapshot(_ followsEdits: Bool, into sink: inout some FrameSink & ~Copyable) {
    needsSnapshot = false
    position = room.sequence
    snapshotSequence = position
    room.follow(encoding(followsEdits))
    for index in room.texts.indices { bridges[index].restart(at: room.texts[index].revision) }
    for row in room.rows?.active ?? [] { row.bridges[number]?.restart(at: row.text.revision) }
    sink.write { room.writeSnapshot(to: &$0, screen: screen) }
    if knowsNothing { missedEvents = room.keptEvents }
    knowsNothing = false
    guard !missedEvents.isEmpty else { return }
    room.tellAgain(missedEvents)
    missedEvents = []
  }

  init(number: Int, room: Room, session: Session, screen: Int, texts: Int) {
    self.number = number
    self.room = room
    self.session = session
    self.screen = screen
    bridges = Array(repeating: TextBridge(), count: texts)
  }
}
