// SPDX-License-Identifier: Apache-2.0

/// Open connections to one server, and what they measure.
final class Load {
  private let number: Int
  private let server: ServerProcess

  /// Opens the connections of a scenario.
  ///
  /// - Parameters:
  ///   - scenario: How many connections, and how many messages in flight.
  ///   - traffic: What they send.
  ///   - server: Where they go.
  ///   - others: Servers that share its rooms; connections go to all of them in turn, at most two.
  /// - Throws: `BenchError` if a connection is refused or not greeted.
  init(
    _ scenario: Scenario, _ traffic: Traffic, to server: ServerProcess, and others: [ServerProcess] = []
  ) throws(BenchError) {
    let ports = [server.port] + others.map(\.port)
    let answer = try server.load(.open(LoadPlan(scenario, traffic, ports: ports)))
    guard let number = answer.load else { throw BenchError("\(server.kind.title): the load has no number") }
    self.number = number
    self.server = server
  }

  deinit {
    do throws(BenchError) { _ = try server.load(.close(load: number)) } catch {
      print("a load was not closed: \(error)")
    }
  }

  /// Sends for a while.
  ///
  /// - Parameter limit: How long, or how much.
  /// - Returns: The measurement.
  /// - Throws: `BenchError` if an answer was wrong or did not come.
  func run(_ limit: LoadLimit) throws(BenchError) -> Sample {
    try Sample.measure(server, .run(load: number, limit: limit))
  }

  /// Keeps the connections open without sending.
  ///
  /// - Parameter seconds: How long.
  /// - Throws: `BenchError` if the server closed one.
  func rest(seconds: Double) throws(BenchError) {
    _ = try server.load(.rest(load: number, seconds: seconds))
  }

  /// Joins and leaves for a while, `scenario.active` connections at a time.
  ///
  /// - Parameters:
  ///   - scenario: How many connections at a time.
  ///   - traffic: Where they go.
  ///   - server: Which server.
  ///   - limit: How long, or how many.
  /// - Returns: The measurement; an event is a session joined.
  /// - Throws: `BenchError` if a connection was refused or failed.
  static func join(
    _ scenario: Scenario, _ traffic: Traffic, to server: ServerProcess, _ limit: LoadLimit
  ) throws(BenchError) -> Sample {
    try Sample.measure(server, .join(LoadPlan(scenario, traffic, ports: [server.port]), limit: limit))
  }
}
