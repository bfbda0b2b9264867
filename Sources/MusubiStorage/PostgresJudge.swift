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

  /// Stores what follows from events that have ended a node.
  ///
  /// An input that is refused from now on, or a room that is put aside, is taken from whoever has it: the owner of the slot loses it,
  /// and the next one knows.
  ///
  /// - Parameters:
  ///   - traps: The events.
  ///   - run: Names the process that they have ended; the same again counts once.
  ///   - time: The time, in seconds since 1970.
  /// - Returns: A verdict on each.
  /// - Throws: `StorageError`.
  package func judge(_ traps: [Trap], run: UInt64, at time: Double) throws(StorageError) -> [Verdict] {
    guard !traps.isEmpty else { return [] }
    do {
      return try connection.transaction {
        // Two nodes that start again judge one after the other.
        try connection.run("SELECT pg_advisory_xact_lock($1)", .integer(Self.lock))
        let first = try judgement(traps, run, time)
        let slots = first.concernedSlots
        guard !slots.isEmpty else {
          try PostgresRecords.store(first, connection)
          return first.verdicts
        }
        // From here on no owner stores anything of them, and nobody else becomes one; the records are read once more.
        let version = try PostgresDirectory.raiseVersion(connection)
        try connection.run(
          """
          UPDATE musubi.fence SET node = NULL, generation = generation + 1, lost_since = generation + 1, moved = $1
            WHERE slot = ANY($2)
          """, .integer(version), .integers(slots.map(Int64.init)))
        let last = try judgement(traps, run, time)
        try PostgresRecords.store(last, connection)
        return last.verdicts
      }
    } catch {
      throw StorageError(postgres: error)
    }
  }

  private func judgement(_ traps: [Trap], _ run: UInt64, _ time: Double) throws -> Judgement {
    var state = try PostgresRecords.index(connection)
    return try state.judge(
      traps, run: run, at: time, strikes: try PostgresRecords.strikes(connection),
      aside: try PostgresRecords.asideRooms(connection).map(\.room),
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
