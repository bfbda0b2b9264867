// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation
import MusubiPostgres
import PostgresServers

/// Where Musubi's servers find each other.
struct ClusterPlace {
  /// Their database.
  let url: String
  /// How many seconds old the youngest one is when rooms begin to move to it.
  var balanceAfter = 86_400

  /// What `gallery serve` takes.
  var arguments: [String] {
    ["--cluster", url, "--balance-after", "\(balanceAfter)", "--ready-delay", "0"]
  }
}

/// Musubi's servers that share a database, in the order in which they were started.
///
/// The first one has all rooms until the youngest is old enough.
final class ClusterServers {
  private(set) var nodes: [ServerProcess] = []
  private let options: Options
  private let connection: PostgresConnection

  /// Starts servers in a database of their own.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - database: The database server.
  ///   - balanceAfter: Seconds until rooms begin to move; as long as nobody waits, if nil.
  ///   - options: The core.
  /// - Throws: `BenchError` if one of them does not start.
  init(
    _ count: Int, on database: PostgresServer, balanceAfter: Int? = nil, _ options: Options
  ) throws(BenchError) {
    var own = options
    do {
      var place = ClusterPlace(url: try database.newDatabase())
      place.balanceAfter = balanceAfter ?? place.balanceAfter
      own.cluster = place
      connection = try PostgresConnection(PostgresConfiguration(url: place.url))
    } catch { throw BenchError("PostgreSQL: \(error)") }
    self.options = own
    for _ in 0..<count { try add() }
  }

  /// Starts one more, and waits until it serves.
  ///
  /// - Throws: `BenchError` if it does not.
  func add() throws(BenchError) {
    let node = try ServerProcess(.musubi, options)
    nodes.append(node)
    let address = URL(string: "http://127.0.0.1:\(node.port)/readyz")
    for _ in 0..<1_000 {
      // An answer that is not 200 has no contents.
      if let address, (try? Data(contentsOf: address)) != nil { return }
      usleep(20_000)
    }
    throw BenchError("a server is not ready after 20 s; it printed: \(node.output.suffix(400))")
  }

  /// Kills one at once, which leaves the list.
  func kill(_ index: Int) {
    let node = nodes.remove(at: index)
    Glibc.kill(node.identifier, SIGKILL)
    node.stop()
  }

  /// Ends all of them.
  func stop() {
    for node in nodes { node.stop() }
    nodes = []
  }

  /// The CPU time that they have used so far, in seconds.
  var cpuSeconds: Double {
    nodes.reduce(0) { $0 + Double(musubi_process_cpu_ns($1.identifier)) / 1e9 }
  }

  /// The index of the server that has each slot; none for slots that are nobody's.
  func owners() throws(BenchError) -> [Int: Int] {
    do {
      let rows = try connection.run(
        """
        SELECT f.slot, (SELECT count(*) FROM musubi.node older WHERE older.since < n.since)
          FROM musubi.fence f JOIN musubi.node n ON n.id = f.node
        """)
      var owners: [Int: Int] = [:]
      for row in 0..<rows.count { owners[try rows.value(row, 0)] = try rows.value(row, 1, as: Int.self) }
      return owners
    } catch { throw BenchError("PostgreSQL: \(error)") }
  }

  /// Whether each has about as many slots as the others.
  func isBalanced() throws(BenchError) -> Bool {
    let counts = Dictionary(grouping: try owners().values) { $0 }.mapValues(\.count)
    return counts.count == nodes.count && counts.values.reduce(0, +) == 4_096
      && (counts.values.max() ?? 0) - (counts.values.min() ?? 0) <= 410
  }
}
