// SPDX-License-Identifier: Apache-2.0
import MusubiTesting

/// A connection of a server to a database; it has one statement at a time.
///
/// A statement that is not answered in time is given up with its connection, and may be executed later.
final class EngineConnection {
  private weak var server: SimulatedServer?
  let engine: SimulatedEngine
  private let life: Int
  private(set) var isLost = false
  private var giveUp: (() -> Void)?

  /// A connection that is open.
  init(of server: SimulatedServer, to engine: SimulatedEngine) {
    (self.server, self.engine, life) = (server, engine, engine.life)
  }

  /// Runs a statement.
  ///
  /// - Parameters:
  ///   - locks: The rows that it locks; nil for a reading.
  ///   - body: Does it.
  ///   - then: Takes the answer; nil if nobody knows whether it was executed, or will be.
  func run<Answer>(
    locking locks: ((EngineState) -> [Int])?,
    _ body: @escaping (inout EngineState, EngineState?) -> Answer, then: @escaping (Answer?) -> Void
  ) {
    guard let server else { return }
    let cluster = server.cluster
    var isOver = false
    let end = { [weak self, weak server] (answer: Answer?) in
      guard !isOver, let self, server?.hasEnded == false else { return }
      isOver = true
      giveUp = nil
      if answer == nil { isLost = true }
      then(answer)
    }
    guard !isLost else { return server.after(.zero) { end(nil) } }
    giveUp = { end(nil) }
    server.after(SimulatedCluster.patience) { end(nil) }
    guard let arrival = cluster.arrival(of: server.number, isLate: true) else { return }
    var answer: Answer?
    let statement = SimulatedEngine.Statement(locks: locks, body: { answer = body(&$0, $1) }) {
      guard let arrival = cluster.arrival(of: server.number, isLate: false) else { return }
      let isDropped = cluster.dropsAnswer()
      cluster.network.schedule(arrival, on: server.node) { end(isDropped ? nil : answer) }
    }
    cluster.network.schedule(arrival) { [engine, life] in engine.take(statement, of: life) }
  }

  /// The database has ended, and the server notices.
  func lose() {
    server?.after(.milliseconds(1)) { [self] in
      isLost = true
      giveUp?()
    }
  }
}
