// SPDX-License-Identifier: Apache-2.0

/// An event that has ended the process, as its loop's record tells it.
package struct Trap: Equatable, Sendable {
  package let kind: EventKind
  /// The room's `RoomKey.digest`; 0 if it was not stored.
  package let room: UInt64
  /// The session whose input it was; empty for other events.
  package let session: String
  package let number: Int
  /// The signal that ended the process.
  package let signal: Int32
  /// How the name of the file ends in which the room's events were written down; nil if there is none.
  package let record: String?

  package init(
    kind: EventKind, room: UInt64, session: String, number: Int, signal: Int32, record: String? = nil
  ) {
    self.kind = kind
    self.room = room
    self.session = session
    self.number = number
    self.signal = signal
    self.record = record
  }
}

/// An event that has ended the process before: an input, or an event of a room's own.
package struct Strike: Codable, Equatable, Sendable {
  /// Names it for the operator.
  package let id: Int
  package let room: RoomKey
  /// The input that is to blame; nil if the room is.
  package let input: InputID?
  /// What ran the last time.
  package internal(set) var kind: EventKind
  package internal(set) var signal: Int32
  /// How many processes it has ended.
  package internal(set) var count: Int
  /// When the last one ended, as the next one found out, in seconds since 1970.
  package internal(set) var last: Double
  /// The process that it has ended last: none counts twice.
  var run: UInt64

  /// So many are no accident.
  package static let limit = 2
  /// A room's strike counts for a day, in seconds.
  static let lifetime = 86_400.0

  /// Whether it has happened too often.
  package var isOut: Bool { count >= Self.limit }
}

/// An input of a session.
package struct InputID: Hashable, Codable, Sendable {
  /// The session's id.
  package let session: String
  package let number: Int

  package init(session: String, number: Int) {
    self.session = session
    self.number = number
  }
}

/// The stored state of a room that has ended the process twice: kept for the operator, used by nobody.
package struct AsideRoom: Codable, Equatable, Sendable {
  package let room: StoredRoom
  /// The sessions that showed it.
  package let sessions: [String]
  /// What the room did when it ended the process the last time.
  package let kind: EventKind
  package let signal: Int32
  /// When it was put aside, in seconds since 1970.
  package let time: Double

  package init(room: StoredRoom, sessions: [String], kind: EventKind, signal: Int32, time: Double) {
    self.room = room
    self.sessions = sessions
    self.kind = kind
    self.signal = signal
    self.time = time
  }

  /// For so long the pages of its sessions may come and give back what they show, in seconds.
  static let memory = 86_400.0
}

/// A start's knowledge of an event that has ended the process before.
package struct Verdict: Equatable, Sendable {
  /// What becomes of an event.
  package enum Consequence: Equatable, Sendable {
    /// It belongs to nothing that is stored, so nothing of it comes again by itself.
    case none
    /// So many strikes: it is run again.
    case runsAgain(strikes: Int)
    /// The input is refused from now on.
    case isRefused
    /// The room's state is put aside.
    case isPutAside
  }

  package let trap: Trap
  /// The room; nil if it is not stored.
  package let room: RoomKey?
  package let consequence: Consequence
}

/// The consequences of the events that have ended the process before, and the changes to store.
package struct Judgement: Equatable, Sendable {
  /// All strikes that count from now on.
  package fileprivate(set) var strikes: [Strike]
  package fileprivate(set) var aside: [AsideRoom] = []
  /// The rooms and sessions that end.
  package fileprivate(set) var ended = StoreChanges()
  /// One for each trap.
  package fileprivate(set) var verdicts: [Verdict] = []
}

extension StoredState {
  /// Finds out what follows from the events that have ended the process before: at the second strike an input is refused,
  /// or the state of a room put aside with the sessions that show it.
  ///
  /// - Parameters:
  ///   - traps: The events that have ended the process before this one.
  ///   - run: Names that process; the same again counts once.
  ///   - time: The time, in seconds since 1970.
  ///   - strikes: Those that were there.
  ///   - aside: The rooms that were put aside before.
  ///   - tried: Inputs that the process ran as those that may have ended another one before it: one of them that has ended this
  ///     one, too, has ended two.
  ///   - records: Reads what is stored.
  /// - Returns: The changes to store; this state has them already.
  /// - Throws: `RecordError` if what is to be judged cannot be read.
  package mutating func judge(
    _ traps: [Trap], run: UInt64, at time: Double, strikes: [Strike], aside: [AsideRoom] = [],
    tried: Set<InputID> = [], reading records: some RecordReader
  ) throws(RecordError) -> Judgement {
    var judgement = Judgement(strikes: [])
    for strike in strikes where try holds(strike, at: time, records) { judgement.strikes.append(strike) }
    for trap in traps {
      let (room, consequence) = try judge(trap, run: run, at: time, tried, &judgement, records)
      judgement.verdicts.append(Verdict(trap: trap, room: room, consequence: consequence))
    }
    let remembered = (aside + judgement.aside).filter { time - $0.time < AsideRoom.memory }
    brokenSessions = Set(remembered.flatMap(\.sessions))
    refusedInputs = Set(judgement.strikes.filter(\.isOut).compactMap(\.input))
    return judgement
  }

  /// The slots in which there is anything that a judgement looks at: a session is in the slot of the room that it shows.
  ///
  /// - Parameters:
  ///   - traps: The events to judge.
  ///   - strikes: The earlier ones, which are looked at as well.
  /// - Returns: The slots.
  package func slots(of traps: [Trap], _ strikes: [Strike]) -> Set<Int> {
    let digests = Set(traps.map(\.room))
    let sessions = traps.map(\.session) + strikes.compactMap(\.input?.session)
    let rooms = self.rooms.filter { digests.contains($0.key.digest) }.map(\.value.label.slot)
    return Set(rooms).union(strikes.map { self.rooms[$0.room]?.label.slot ?? $0.room.recordSlot })
      .union(sessions.compactMap { self.sessions[$0]?.label.slot ?? SessionName.slot(of: $0) })
  }

  private mutating func judge(
    _ trap: Trap, run: UInt64, at time: Double, _ tried: Set<InputID>, _ judgement: inout Judgement,
    _ records: some RecordReader
  ) throws(RecordError) -> (room: RoomKey?, consequence: Verdict.Consequence) {
    let key = rooms.keys.first { $0.digest == trap.room }
    let input = trap.kind.isInput ? InputID(session: trap.session, number: trap.number) : nil
    guard let room = key ?? input.flatMap({ firstRoom(of: $0.session) }) else { return (key, .none) }
    if let input, try !isExpected(input, records) { return (key, .none) }

    let known = judgement.strikes.firstIndex { $0.input == input && (input != nil || $0.room == room) }
    var strike =
      known.map { judgement.strikes.remove(at: $0) }
      ?? Strike(
        id: (judgement.strikes.map(\.id).max() ?? 0) + 1, room: room, input: input, kind: trap.kind,
        signal: trap.signal, count: 0, last: time, run: ~run)
    if strike.run != run { strike.count += 1 }
    if let input, tried.contains(input) { strike.count = max(strike.count, Strike.limit) }
    (strike.kind, strike.signal, strike.last, strike.run) = (trap.kind, trap.signal, time, run)
    guard strike.isOut else {
      judgement.strikes.append(strike)
      return (room, .runsAgain(strikes: strike.count))
    }
    guard input == nil else {
      judgement.strikes.append(strike)
      return (room, .isRefused)
    }
    try putAside(room, strike, &judgement, records)
    return (room, .isPutAside)
  }

  /// The strike by which an input is refused that two processes in succession have run last.
  ///
  /// - Returns: The strike; nil if its page will not send the input again.
  /// - Throws: `RecordError` if what is to be judged cannot be read.
  package func strike(
    _ input: InputID, id: Int, at time: Double, reading records: some RecordReader
  ) throws(RecordError) -> Strike? {
    guard let room = firstRoom(of: input.session), try isExpected(input, records) else { return nil }
    return Strike(
      id: id, room: room, input: input, kind: .input, signal: 0, count: Strike.limit, last: time, run: 0)
  }

  private mutating func putAside(
    _ key: RoomKey, _ strike: Strike, _ judgement: inout Judgement, _ records: some RecordReader
  ) throws(RecordError) {
    guard rooms[key] != nil else { return }
    let room = try records.room(key)
    _ = takeRoom(key)
    let showing = sessions.filter { $0.value.rooms.contains(key) }.map(\.key).sorted()
    judgement.aside.append(
      AsideRoom(
        room: room, sessions: showing, kind: strike.kind, signal: strike.signal, time: strike.last))
    judgement.ended.endedRooms.append(key)
    for id in showing {
      judgement.ended.endedSessions.append(id)
      for room in takeSession(id)?.rooms ?? [] where room.isPrivate && takeRoom(room) != nil {
        judgement.ended.endedRooms.append(room)
      }
    }
  }

  /// The room of a session's first screen.
  private func firstRoom(of id: String) -> RoomKey? {
    let rooms = sessions[id]?.rooms ?? []
    return rooms.first { !$0.isPrivate } ?? rooms.first { $0.name == id }
  }

  /// Whether a session is stored whose page will send an input again.
  private func isExpected(_ input: InputID, _ records: some RecordReader) throws(RecordError) -> Bool {
    guard let entry = sessions[input.session] else { return false }
    var taken = try records.session(input.session).taken
    for key in entry.rooms where rooms[key] != nil {
      taken = max(taken, try records.room(key).taken?.first { $0.session == input.session }?.number ?? 0)
    }
    return taken < input.number
  }

  /// Whether a strike still counts: the input may come again, or the room is there and has been struck lately.
  private func holds(
    _ strike: Strike, at time: Double, _ records: some RecordReader
  ) throws(RecordError) -> Bool {
    if let input = strike.input { return try isExpected(input, records) }
    return rooms[strike.room] != nil && time - strike.last < Strike.lifetime
  }
}
