// SPDX-License-Identifier: Apache-2.0
import MusubiPostgres
import MusubiSession

/// The changes of one commit as the arguments of its statement; the commits of several loops share one.
struct PostgresChanges {
  private var keys: [String] = []
  private var slots: [Int64] = []
  private var bytes: [Int64] = []
  private var peers: [String?] = []
  private var others: [String?] = []
  private var made: [Double] = []
  private var left: [Double?] = []
  private var rooms: [String?] = []
  private var isUsed: [Bool] = []
  private var data: [String] = []

  private var steps: (keys: [String], bytes: [Int64], data: [String]) = ([], [], [])
  /// The rooms that their last page has left, of which nothing else but a step is written.
  private var leaving: (keys: [String], left: [Double]) = ([], [])
  private var ended: [String] = []
  /// The rooms whose steps go: they have ended, or are written as a whole.
  private var outdated: [String] = []

  /// Adds what a loop stores.
  ///
  /// - Returns: The bytes of what is written.
  /// - Throws: What a visitor's encoder throws; nothing is added then.
  mutating func add(_ changes: StoreChanges) throws -> StoredSizes {
    var sizes = StoredSizes()
    var more = self
    for room in changes.rooms {
      let data = try SessionRecords.text { try $0.append(room) }
      sizes.rooms.append(data.utf8.count)
      more.put(room.key.text, room.label, left: room.left, room: nil, isUsed: true, data)
      more.outdated.append(room.key.text)
    }
    for step in changes.roomSteps {
      let data = SessionRecords.text { $0.append(step) }
      sizes.steps.append(data.utf8.count)
      more.steps.keys.append(step.room)
      more.steps.bytes.append(Int64(data.utf8.count))
      more.steps.data.append(data)
      // The index of the next start tells when a room was left; that somebody is there again its sessions tell.
      guard let left = step.left else { continue }
      more.leaving.keys.append(step.room)
      more.leaving.left.append(left)
    }
    for session in changes.sessions {
      let data = try SessionRecords.text { try $0.append(session) }
      sizes.sessions.append(data.utf8.count)
      more.put(
        session.id, session.label, left: session.left, room: session.sharedRoom?.text,
        isUsed: session.isUsed, data)
    }
    let rooms = changes.endedRooms.map(\.text)
    more.outdated += rooms
    more.ended += rooms + changes.endedSessions
    self = more
    return sizes
  }

  private mutating func put(
    _ key: String, _ label: RecordLabel, left: Double?, room: String?, isUsed: Bool, _ data: String
  ) {
    keys.append(key)
    slots.append(Int64(label.slot))
    bytes.append(Int64(data.utf8.count))
    peers.append(label.peer.map(Self.storable))
    others.append(label.others.map(Self.storable))
    made.append(label.made)
    self.left.append(left)
    rooms.append(room)
    self.isUsed.append(isUsed)
    self.data.append(data)
  }

  /// PostgreSQL has no U+0000 in a text; JSON escapes it, a visitor's id need not.
  static func storable(_ text: String) -> String {
    text.utf8.contains(0) ? text.replacing("\u{0}", with: "\u{FFFD}") : text
  }

  /// The arguments of `sql`.
  ///
  /// - Parameter fence: What the owner knows of itself.
  /// - Returns: The arguments.
  func arguments(_ fence: PostgresFence) -> [PostgresValue] {
    // A room that has ended and is there again is written, not deleted: one statement does only one of both.
    let written = Set(keys)
    return [
      .integer(fence.generation), .integer(fence.commits),
      .texts(keys), .integers(slots), .integers(bytes), .texts(peers), .texts(others), .reals(made),
      .reals(left), .texts(rooms), .bools(isUsed), .texts(data),
      .texts(steps.keys), .integers(steps.bytes), .texts(steps.data),
      .texts(leaving.keys), .reals(leaving.left),
      .texts(ended.filter { !written.contains($0) }), .texts(outdated),
    ]
  }

  /// Stores a commit if, and only if, nobody else owns the store and this is the next commit; one row tells that it has.
  ///
  /// The row of `fence` is changed by each commit and by each take-over, so the server puts them in order. All parts see the
  /// state before the statement; each row of a table is touched by one of them.
  static let sql = """
    WITH fence AS (
      UPDATE musubi.fence SET commits = commits + 1
        WHERE slot = 0 AND generation = $1 AND commits = $2 RETURNING commits),
    whole AS (
      INSERT INTO musubi.record (key, slot, bytes, peer, others, made, left_at, room, is_used, data)
        SELECT t.* FROM unnest($3::text[], $4::int8[], $5::int8[], $6::text[], $7::text[], $8::float8[], $9::float8[],
          $10::text[], $11::bool[], $12::text[]) AS t, fence
        ON CONFLICT (key) DO UPDATE SET slot = excluded.slot, bytes = excluded.bytes, peer = excluded.peer,
          others = excluded.others, made = excluded.made, left_at = excluded.left_at, room = excluded.room,
          is_used = excluded.is_used, data = excluded.data),
    steps AS (
      INSERT INTO musubi.step (key, version, bytes, data)
        SELECT t.key, fence.commits, t.bytes, t.data
          FROM unnest($13::text[], $14::int8[], $15::text[]) AS t (key, bytes, data), fence),
    leaving AS (
      UPDATE musubi.record r SET left_at = t.left_at
        FROM unnest($16::text[], $17::float8[]) AS t (key, left_at), fence WHERE r.key = t.key),
    ended AS (
      DELETE FROM musubi.record r USING unnest($18::text[]) AS t (key), fence WHERE r.key = t.key),
    outdated AS (
      DELETE FROM musubi.step s USING unnest($19::text[]) AS t (key), fence WHERE s.key = t.key)
    SELECT commits FROM fence
    """
}

/// What an owner knows of its row of the table `fence`.
struct PostgresFence: Equatable {
  /// The number of owners so far, with this one.
  var generation: Int
  /// The number of commits so far.
  var commits: Int
}
