// SPDX-License-Identifier: Apache-2.0
import MusubiPostgres

/// What an operator sees of the servers that share a database, and may ask of them, from outside.
package struct PostgresClusterView {
  /// A node and what it has.
  package struct Member: Equatable, Sendable {
    package let node: DirectoryNode
    /// How many slots are its own.
    package let slots: Int

    package init(node: DirectoryNode, slots: Int) { (self.node, self.slots) = (node, slots) }
  }

  private let connection: PostgresConnection

  /// Connects; blocks.
  ///
  /// - Parameter url: The database.
  /// - Throws: `StorageError`: what PostgreSQL says, or that no server has used the database.
  package init(url: String) throws(StorageError) {
    do {
      connection = try PostgresConnection(PostgresConfiguration(url: url))
      guard try connection.run("SELECT to_regclass('musubi.node') IS NOT NULL").text(0, 0) == "t" else {
        throw StorageError("No server with --cluster has used this database.")
      }
    } catch {
      throw StorageError(postgres: error)
    }
  }

  /// The nodes, the oldest first.
  package func members() throws(StorageError) -> [Member] {
    do {
      let rows = try connection.run(
        """
        SELECT id, address, build, loops, draining, seen, extract(epoch FROM clock_timestamp() - seen)::float8,
            extract(epoch FROM clock_timestamp() - since)::float8,
            (SELECT count(*) FROM musubi.fence f WHERE f.node = n.id)
          FROM musubi.node n ORDER BY since
        """)
      return try (0..<rows.count).map { row in
        Member(node: try DirectoryNode(rows, row), slots: try rows.value(row, 8))
      }
    } catch {
      throw StorageError(postgres: error)
    }
  }

  /// Asks a node to give its slots away.
  ///
  /// - Parameter node: The node.
  /// - Returns: Whether it is there.
  /// - Throws: `StorageError`.
  package func drain(_ node: Int64) throws(StorageError) -> Bool {
    do {
      return try connection.run("UPDATE musubi.node SET draining = true WHERE id = $1", .integer(node))
        .changes == 1
    } catch {
      throw StorageError(postgres: error)
    }
  }
}

extension DirectoryNode {
  /// Reads the first columns of a row: id, address, build, loops, draining, the last sign of life, seconds of silence and of age.
  init(_ rows: PostgresResult, _ row: Int) throws {
    self.init(
      id: try rows.value(row, 0), address: rows.text(row, 1) ?? "", build: rows.text(row, 2) ?? "",
      loops: try rows.value(row, 3), isDraining: rows.text(row, 4) == "t",
      seen: rows.text(row, 5) ?? "",
      silence: .seconds(try rows.value(row, 6, as: Double.self)),
      age: .seconds(try rows.value(row, 7, as: Double.self)))
  }
}
