// SPDX-License-Identifier: Apache-2.0
import MusubiPostgres

/// Where a PostgreSQL store is, and who its owner is.
package struct PostgresStoreConfiguration: Sendable {
  /// What libpq connects to; see `PostgresConfiguration.url`.
  package var url: String
  /// Names the node, the same after each restart on its data folder.
  ///
  /// One process at a time uses a folder, so an owner of the same name is dead.
  package var node: Int64
  /// How long an owner says nothing until another node may take the store from it.
  ///
  /// It is measured by the other node's clock, and a short one costs reconnects, never data.
  package var silence: Duration = .seconds(3)
  /// How long a start waits for an owner that lives to give the store up.
  package var patience: Duration = .seconds(5)
  /// How often an owner says that it lives.
  package var beat: Duration = .milliseconds(500)
  /// The longest pause between attempts to connect again.
  package var longestPause: Duration = .seconds(2)
  /// How long to wait for the answer to a commit; then the connection is given up, and the outcome is asked for by another.
  package var answerTimeout: Duration = .seconds(10)
  /// How long a loop waits for a record that a page asks for.
  package var readTimeout: Duration = .seconds(2)
  /// How long a node waits for what the next process of a dead one tells of its end, before it refuses what that had on trial.
  package var trialWait: Duration = .seconds(5)
  /// The oldest server, as `PQserverVersion` counts.
  var oldestServer = PostgresConnection.oldestServer

  package init(url: String, node: Int64 = .random(in: 1...Int64.max)) { (self.url, self.node) = (url, node) }

  /// Reads a URL without connecting.
  ///
  /// - Parameter url: The URL.
  /// - Returns: Whether it holds a password; nil if it is no URL of PostgreSQL.
  package static func hasPassword(_ url: String) -> Bool? {
    guard url.hasPrefix("postgres://") || url.hasPrefix("postgresql://") else { return nil }
    return try? PostgresConfiguration(url: url).hasPassword()
  }
}

/// What a store tells its server beside the outcome of each commit.
package enum PostgresStoreEvent: Equatable, Sendable {
  /// The server cannot be reached: commits wait, and none is lost.
  case away(String)
  /// It is back; what has waited is stored.
  case back
  /// The store belongs to another node: nothing can be stored any more. One sentence.
  case lost(String)
}
