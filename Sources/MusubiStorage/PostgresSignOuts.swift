// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiPostgres
package import MusubiSession

/// Somebody was signed out, at a certain place among all changes of the directory.
package struct DirectorySignOut: Equatable, Sendable {
  /// The directory's version with it: higher than those of all earlier sign-outs.
  package let number: Int
  package let who: SignedOut

  package init(number: Int, who: SignedOut) {
    self.number = number
    self.who = who
  }
}

/// The table of visitors who were signed out.
///
/// A session says which sign-out was the last that was known when its visitor was asked about. Each later one ends it: at once
/// where it is in memory, and else when its slot is read. So no clock tells which of the two was first.
enum PostgresSignOuts {
  /// Notes a sign-out, and drops those that nobody needs any more; within a transaction that has raised the version.
  ///
  /// All nodes have ended the sessions that they had when they know a sign-out. What they did not have is in slots that somebody
  /// takes and reads: a day is enough for that, if no node has come in its last minute.
  static func note(_ who: SignedOut, number: Int64, _ connection: PostgresConnection) throws {
    try connection.run(
      """
      DELETE FROM musubi.signed_out
        WHERE number <= (SELECT min(signed_out) FROM musubi.node WHERE address <> '')
          AND (log_in IS NOT NULL OR at < clock_timestamp() - interval '1 day'
            AND NOT EXISTS (SELECT FROM musubi.node WHERE since > clock_timestamp() - interval '1 minute'))
      """)
    try connection.run(
      "INSERT INTO musubi.signed_out (number, identity, log_in) VALUES ($1, $2, $3)", .integer(number),
      .text(who.identity), who.logIn.map(PostgresValue.text) ?? .null)
  }

  /// The sign-outs above a number, in their order.
  static func all(after number: Int, _ connection: PostgresConnection) throws -> [DirectorySignOut] {
    let rows = try connection.run(
      "SELECT number, identity, log_in FROM musubi.signed_out WHERE number > $1 ORDER BY number",
      .integer(number))
    return try (0..<rows.count).map { row in
      DirectorySignOut(
        number: try rows.value(row, 0),
        who: SignedOut(rows.text(row, 1) ?? "", logIn: rows.text(row, 2)))
    }
  }

  /// The number of the last sign-out; 0 if there is none.
  static func last(_ connection: PostgresConnection) throws -> Int {
    try connection.run("SELECT coalesce(max(number), 0) FROM musubi.signed_out").value(0, 0)
  }

  /// The stored sessions that sign-outs have ended.
  ///
  /// - Parameters:
  ///   - slots: The slots to look into.
  ///   - number: The last sign-out that counts.
  ///   - connection: Where from.
  /// - Returns: The sessions by their slots; one of a log-in alone stays, since nobody but its visitor can go on with it.
  /// - Throws: `PostgresError`.
  static func sessions(
    in slots: [Int], upTo number: Int, _ connection: PostgresConnection
  ) throws -> [Int: [String]] {
    let ended = try ended(
      connection.run(
        "\(sessions) AND s.number <= $1 AND r.slot = ANY($2) GROUP BY r.key", .integer(number),
        .integers(slots.map(Int64.init))))
    return Dictionary(grouping: ended, by: \.slot).mapValues { $0.map(\.session) }
  }

  /// Ends all sessions that sign-outs have ended, and forgets these: for a node that owns everything, before it reads the index.
  static func settle(_ connection: PostgresConnection) throws {
    guard try last(connection) > 0 else { return }
    let sessions = try ended(connection.run("\(sessions) GROUP BY r.key")).map(\.session)
    try connection.run("DELETE FROM musubi.record WHERE key = ANY($1)", .texts(sessions))
    try connection.run("DELETE FROM musubi.signed_out")
  }

  /// The sessions of visitors who were signed out, each with the last time.
  ///
  /// Rooms have keys that begin with a bracket.
  private static let sessions = """
    SELECT r.slot, r.key, r.data, max(s.number) FROM musubi.signed_out s JOIN musubi.record r ON r.peer = 'i:' || s.identity
      WHERE s.log_in IS NULL AND r.key NOT LIKE '[%'
    """

  /// What a stored session knows.
  private struct Record: Decodable {
    let signOuts: Int?
  }

  /// Those that began before, or cannot be read. (PostgreSQL itself reads no JSON with `\u0000`, which visitors may send.)
  private static func ended(_ rows: PostgresResult) throws -> [(slot: Int, session: String)] {
    var ended: [(slot: Int, session: String)] = []
    for row in 0..<rows.count {
      let data = Data((rows.text(row, 2) ?? "").utf8)
      let known: Int
      do { known = try JSONDecoder().decode(Record.self, from: data).signOuts ?? 0 } catch { known = 0 }
      guard known < (try rows.value(row, 3, as: Int.self)) else { continue }
      ended.append((try rows.value(row, 0), rows.text(row, 1) ?? ""))
    }
    return ended
  }
}
