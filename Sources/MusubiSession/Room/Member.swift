// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// A session's view of one room: where it stands in the room's stream, and what it has not seen of the texts.
final class Member {
  /// The member's number in the room; never given twice.
  let number: Int
  let room: Room
  // Not counted: the session owns the member, and takes it out of its room before it goes.
  private let owner: Unmanaged<Session>
  var session: Session { owner.takeUnretainedValue() }
  /// The screen's number on the session's connections; 0 for the first.
  let screen: Int
  /// One bridge for each text of the room.
  @exclusivity(unchecked) var bridges: [TextBridge]
  /// The last turn that was handed to the connection.
  @exclusivity(unchecked) var position: Int = 0
  /// Whether the connection gets the whole state next, instead of turns.
  @exclusivity(unchecked) var needsSnapshot = true
  /// What is told again after the snapshot.
  var missedEvents: [StoredRoom.Event] = []
  /// The dialog that is open on the screen.
  @Rare var dialog: ServerFrame.Dialog?

  /// Looks at the session without counting a reference to it.
  @inline(__always) func withSession<Result>(_ body: (Session) -> Result) -> Result {
    owner._withUnsafeGuaranteedRef(body)
  }

  /// How a connection gets the turns of the screen.
  func encoding(_ followsEdits: Bool) -> TurnEncoding {
    TurnEncoding(followsEdits: followsEdits, screen: screen)
  }

  /// Whether only a snapshot helps: it was asked for, or the room's log no longer reaches back.
  func isBehind(_ followsEdits: Bool) -> Bool {
    needsSnapshot || !room.log.reaches(back: position, as: encoding(followsEdits))
  }

  /// Hands out the whole state, and continues from it.
  func takeSnapshot(_ followsEdits: Bool, into sink: inout some FrameSink) {
    needsSnapshot = false
    position = room.sequence
    room.follow(encoding(followsEdits))
    for index in room.texts.indices { bridges[index].restart(at: room.texts[index].revision) }
    var writer = FrameWriter(capacity: 256)
    room.writeSnapshot(to: &writer, screen: screen)
    sink.append(own: writer.bytes)
    guard !missedEvents.isEmpty else { return }
    room.tellAgain(missedEvents)
    missedEvents = []
  }

  init(number: Int, room: Room, session: Session, screen: Int, texts: Int) {
    self.number = number
    self.room = room
    owner = .passUnretained(session)
    self.screen = screen
    bridges = Array(repeating: TextBridge(), count: texts)
  }
}
