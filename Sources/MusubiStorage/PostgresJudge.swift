// SPDX-License-Identifier: Apache-2.0
import MusubiPostgres
package import MusubiSession

/// Events that have ended a node of a cluster: judged when its process starts again, while other nodes have its slots.
package struct PostgresJudge {
  private let connection: PostgresConnection
  /// Any number that other programs do not take.
  private static let lock = 0x6d75_7375_6a75

  /// Connects; blocks, as all calls do.
  ///
  /// - Parameter configuration: Where the database is.
  /// - Throws: `StorageError`.
  package init(_ configuration: PostgresStoreConfiguration) throws(StorageError) {
    do {
      var settings = PostgresConfiguration(url: configuration.url)
      // An index of everything may take its time.
      settings.answerTimeout = .seconds(60)
      connection = try PostgresConnection(settings)
    } catch {
      throw StorageError(postgres: error)
    }
  }

  /// Has judgements wait for each other; within a transaction.
  static func begin(_ connection: PostgresConnection) throws(PostgresError) {
    try connection.run("SELECT pg_advisory_xact_lock($1)", .integer(lock))
  }

  /// Stores what follows from the end of a node's process.
  ///
  /// An input that is refused from now on, or a room that is put aside, is taken from whoever has it: the owner of the slot loses it,
  /// and the next one knows. Other inputs that the process had on trial are no longer suspected.
  ///
  /// - Parameters:
  ///   - traps: The events that have ended the process; none if it was killed, or was asked to end.
  ///   - run: Names the process; the same again counts once.
  ///   - folder: Names its data folder.
  ///   - time: The time, in seconds since 1970.
  /// - Returns: A verdict on each event.
  /// - Throws: `StorageError`.
  package func judge(
    _ traps: [Trap], run: UInt64, of folder: Int64, at time: Double
  ) throws(StorageError) -> [Verdict] {
    do {
      // All that is stored, before anybody waits for this: it tells where to look.
      let index = traps.isEmpty ? StoredState() : try PostgresRecords.index(connection)
      return try connection.transaction {
        // Two nodes that start again judge one after the other.
        try Self.begin(connection)
        let tried = try takeTrials(of: folder)
        guard !traps.isEmpty else { return [] }
        let around = index.slots(of: traps, try PostgresRecords.strikes(connection))
        let first = try judgement(in: around, traps, run, time, tried)
        let slots = first.concernedSlots
        guard !slots.isEmpty else {
          try PostgresRecords.store(first, connection)
          return first.verdicts
        }
        // From here on no owner stores anything of them, and nobody else becomes one; the records are read once more.
        let version = try PostgresDirectory.raiseVersion(connection)
        try connection.run(
          """
          UPDATE musubi.fence
            SET node = NULL, generation = generation + 1, lost_since = generation + 1, moved = $1, trial = NULL
            WHERE slot = ANY($2)
          """, .integer(version), .integers(slots.map(Int64.init)))
        let last = try judgement(in: around, traps, run, time, tried)
        try PostgresRecords.store(last, connection)
        return last.verdicts
      }
    } catch {
      throw StorageError(postgres: error)
    }
  }

  /// Takes out what the process of a folder had on trial.
  private func takeTrials(of folder: Int64) throws -> Set<InputID> {
    let rows = try connection.run(
      """
      SELECT slot, trial FROM musubi.fence WHERE trial IS NOT NULL AND trial::json->>'folder' = $1
        ORDER BY slot FOR UPDATE
      """, .text("\(folder)"))
    let slots = try (0..<rows.count).map { try rows.value($0, 0, as: Int64.self) }
    try connection.run("UPDATE musubi.fence SET trial = NULL WHERE slot = ANY($1)", .integers(slots))
    return Set(try (0..<rows.count).compactMap { try rows.text($0, 1).map(SlotTrial.init)?.inputs }.joined())
  }

  /// Judges by what is stored in some slots: at least in those in which the traps, and earlier strikes, have anything.
  private func judgement(
    in slots: Set<Int>, _ traps: [Trap], _ run: UInt64, _ time: Double, _ tried: Set<InputID>
  ) throws -> Judgement {
    var state = StoredState()
    for part in try PostgresRecords.index(connection, slots: slots.sorted()).values { state.add(part) }
    return try state.judge(
      traps, run: run, at: time, strikes: try PostgresRecords.strikes(connection),
      aside: try PostgresRecords.asideRooms(connection).map(\.room), tried: tried,
      reading: PostgresRowReader(connection: connection))
  }
}

extension Judgement {
  /// The slots in which an input is refused from now on, or in which something ends.
  fileprivate var concernedSlots: [Int] {
    let refused = verdicts.filter { $0.consequence == .isRefused }.compactMap {
      SessionName.slot(of: $0.trap.session)
    }
    return Set(refused).union(ended.slots).sorted()
  }
}
