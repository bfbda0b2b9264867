// SPDX-License-Identifier: Apache-2.0
import MusubiPostgres

/// Says that a node lives, by a connection of its own: nothing else that the node does holds it up.
///
/// All calls block, on one thread.
package final class PostgresPulse {
  private let configuration: PostgresStoreConfiguration
  private let node: Int64
  private var connection: PostgresConnection?

  /// - Parameters:
  ///   - configuration: Where the directory is.
  ///   - node: The node.
  package init(_ configuration: PostgresStoreConfiguration, node: Int64) {
    (self.configuration, self.node) = (configuration, node)
  }

  /// Says that the node lives.
  ///
  /// - Throws: What PostgreSQL says; the next call connects again.
  package func beat() throws {
    if connection?.isLost != false {
      var settings = PostgresConfiguration(url: configuration.url)
      settings.connectTimeout = .seconds(2)
      settings.answerTimeout = configuration.readTimeout
      settings.applicationName = "musubi pulse"
      connection = try PostgresConnection(settings, ending: connection?.abandoned)
    }
    try connection?.run("UPDATE musubi.node SET seen = clock_timestamp() WHERE id = $1", .integer(node))
  }
}
