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

  private var steps: (keys: [String], slots: [Int64], bytes: [Int64], data: [String]) = ([], [], [], [])
  /// The rooms that their last page has left, of which nothing else but a step is written.
  private var leaving: (keys: [String], slots: [Int64], left: [Double]) = ([], [], [])
  private var ended: [Place] = []
  /// The rooms whose steps go: they have ended, or are written as a whole.
  private var outdated: [Place] = []
  /// The inputs that are on trial in slots.
  private var trials: [Int: [InputID]] = [:]
  /// About how many bytes the statement has.
  private(set) var weight = 0
  /// The slots that they are of.
  private(set) var concerned: Set<Int> = []

  /// A record, and its slot.
  private typealias Place = (key: String, slot: Int)

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
      more.outdated.append((room.key.text, room.label.slot))
    }
    for step in changes.roomSteps {
      let data = SessionRecords.text { $0.append(step) }
      sizes.steps.append(data.utf8.count)
      more.steps.keys.append(step.room)
      more.steps.slots.append(Int64(step.slot))
      more.steps.bytes.append(Int64(data.utf8.count))
      more.steps.data.append(data)
      // The index of the next start tells when a room was left; that somebody is there again its sessions tell.
      guard let left = step.left else { continue }
      more.leaving.keys.append(step.room)
      more.leaving.slots.append(Int64(step.slot))
      more.leaving.left.append(left)
    }
    for session in changes.sessions {
      let data = try SessionRecords.text { try $0.append(session) }
      sizes.sessions.append(data.utf8.count)
      more.put(
        session.id, session.label, left: session.left, room: session.sharedRoom?.text,
        isUsed: session.isUsed, data)
    }
    let rooms = changes.endedRooms.map { ($0.text, changes.slot(of: $0)) }
    more.outdated += rooms
    more.ended += rooms + changes.endedSessions.map { ($0, changes.slot(of: $0)) }
    more.trials.merge(changes.trials) { $1 }
    more.concerned.formUnion(changes.slots)
    more.weight += sizes.total
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

  /// Writes what is of some slots, each if, and only if, nobody else owns it and this is its next commit.
  ///
  /// - Parameters:
  ///   - slots: The slots, in order.
  ///   - fences: What the owner knows of them.
  ///   - node: The owner.
  ///   - folder: Names the owner's data folder.
  ///   - limit: How long to wait for the answer; nil for as long as the connection does for any statement.
  ///   - connection: Where to.
  /// - Returns: The slots that are stored; nothing of the others is.
  /// - Throws: `PostgresError`.
  func write(
    _ slots: [Int], _ fences: [Int: PostgresFence], by node: Int64, of folder: Int64,
    within limit: Duration? = nil, _ connection: PostgresConnection
  ) throws(PostgresError) -> Set<Int> {
    let tried = try slots.map { slot throws(PostgresError) in
      try SlotTrial(trials[slot] ?? [], of: folder)?.text()
    }
    let rows = try connection.run(
      Self.sql, slots.arguments(fences) + arguments(fences) + [.texts(tried), .integer(node)],
      within: limit)
    var stored: Set<Int> = []
    for row in 0..<rows.count { stored.insert(try rows.value(row, 0)) }
    return stored
  }

  private func arguments(_ fences: [Int: PostgresFence]) -> [PostgresValue] {
    // A room that has ended and is there again is written, not deleted: one statement does only one of both.
    let written = Set(keys)
    let gone = ended.filter { !written.contains($0.key) }
    return [
      .texts(keys), .integers(slots), .integers(bytes), .texts(peers), .texts(others), .reals(made),
      .reals(left), .texts(rooms), .bools(isUsed), .texts(data),
      .texts(steps.keys), .integers(steps.slots),
      .integers(steps.slots.map { Int64(fences[Int($0)]?.commits ?? 0) + 1 }), .integers(steps.bytes),
      .texts(steps.data),
      .texts(leaving.keys), .integers(leaving.slots), .reals(leaving.left),
      .texts(gone.map(\.key)), .integers(gone.map { Int64($0.slot) }),
      .texts(outdated.map(\.key)), .integers(outdated.map { Int64($0.slot) }),
    ]
  }

  /// Whether the slot of a record is stored; a hash of the slots, since this is no join but a value.
  private static let isStored = "(t.slot IN (SELECT slot FROM fence)) IS TRUE"

  /// Stores what is of some slots, and names those.
  ///
  /// Each slot's row of `fence` is changed by each of its commits and by each take-over, so the server puts them in order; all
  /// commits lock the rows in the order of the slots. All parts see the state before the statement; each row of a table is
  /// touched by one of them.
  ///
  /// A generation has one owner, unless the server has forgotten a take-over: hence the owner's name.
  private static let sql = """
    WITH fence AS (
      UPDATE musubi.fence f SET commits = f.commits + 1, trial = t.trial
        FROM unnest($1::int8[], $2::int8[], $3::int8[], $26::text[]) AS t (slot, generation, commits, trial)
        WHERE f.slot = t.slot AND f.generation = t.generation AND f.commits = t.commits AND f.node = $27
        RETURNING f.slot),
    whole AS (
      INSERT INTO musubi.record (key, slot, bytes, peer, others, made, left_at, room, is_used, data)
        SELECT t.* FROM unnest($4::text[], $5::int8[], $6::int8[], $7::text[], $8::text[], $9::float8[], $10::float8[],
          $11::text[], $12::bool[], $13::text[]) AS t (key, slot) WHERE \(isStored)
        ON CONFLICT (key) DO UPDATE SET slot = excluded.slot, bytes = excluded.bytes, peer = excluded.peer,
          others = excluded.others, made = excluded.made, left_at = excluded.left_at, room = excluded.room,
          is_used = excluded.is_used, data = excluded.data),
    steps AS (
      INSERT INTO musubi.step (key, version, bytes, data)
        SELECT t.key, t.version, t.bytes, t.data
          FROM unnest($14::text[], $15::int8[], $16::int8[], $17::int8[], $18::text[])
            AS t (key, slot, version, bytes, data) WHERE \(isStored)),
    leaving AS (
      UPDATE musubi.record r SET left_at = t.left_at
        FROM unnest($19::text[], $20::int8[], $21::float8[]) AS t (key, slot, left_at)
        WHERE r.key = t.key AND \(isStored)),
    ended AS (
      DELETE FROM musubi.record r USING unnest($22::text[], $23::int8[]) AS t (key, slot)
        WHERE r.key = t.key AND \(isStored)),
    outdated AS (
      DELETE FROM musubi.step s USING unnest($24::text[], $25::int8[]) AS t (key, slot)
        WHERE s.key = t.key AND \(isStored))
    SELECT slot FROM fence
    """
}

extension [Int] {
  /// These slots, their generations, and their commits: three arguments.
  func arguments(_ fences: [Int: PostgresFence]) -> [PostgresValue] {
    [
      .integers(map { Int64($0) }), .integers(map { Int64(fences[$0]?.generation ?? -1) }),
      .integers(map { Int64(fences[$0]?.commits ?? -1) }),
    ]
  }
}
