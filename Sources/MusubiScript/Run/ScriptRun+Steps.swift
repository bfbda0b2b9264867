// SPDX-License-Identifier: Apache-2.0
import MusubiClient
import MusubiWire

extension ScriptRun {
  /// Begins a step.
  ///
  /// - Parameters:
  ///   - action: What to do; no block.
  ///   - deadline: How long it may take.
  /// - Returns: What is left to wait for; nil if the step is done.
  /// - Throws: `StepFailure` if it fails at once.
  func start(_ action: Action, deadline: Duration) throws(StepFailure) -> Wait? {
    let end = ContinuousClock.now.advanced(by: deadline)
    switch action {
    case .within(let other, let step): return try start(step.action, deadline: other)
    case .open, .openLike, .resume, .reload, .drop, .close: return try startConnection(action, end)
    case .expect(let condition): return try expect(condition, end, deadline)
    case .still(let condition, let duration): return try still(condition, duration)
    case .type, .erase, .caret, .set, .tap: return try startInput(action)
    case .settle: return settle(end, deadline)
    case .killServer, .stopServer, .restartServer: return try startServer(action)
    case .raw(let name, let text): try sendRaw(name, text, isText: true)
    case .rawBinary(let name, let text): try sendRaw(name, text, isText: false)
    case .save(let name, let expression):
      guard let value = now.value(of: expression) else {
        throw StepFailure(
          "There is nothing to save.", details: expression.clients.flatMap { clients[$0]?.report ?? [] })
      }
      save(value, as: name)
    case .stall(let name): try client(name).connection.isStalled = true
    case .wake(let name): try client(name).connection.isStalled = false
    case .delay(let name, let duration): try client(name).connection.delay(by: duration)
    case .cut(let name, let bytes, .sent): try client(name).connection.cut(afterSent: bytes)
    case .cut(let name, let bytes, .received): try client(name).connection.cut(afterReceived: bytes)
    case .back(let name):
      throw StepFailure("\(name): this screen has no navigation yet, so there is nothing to go back to.")
    case .answer(let name, _):
      throw StepFailure("\(name): this screen has no dialog yet, so there is nothing to answer.")
    case .parallel, .repeats, .include: throw StepFailure("A block cannot stand here.")
    }
    return nil
  }

  private func sendRaw(_ name: String, _ template: Template, isText: Bool) throws(StepFailure) {
    let client = try client(name)
    do throws(ClientError) {
      try client.connection.sendRaw(Array(now.text(of: template).utf8), isText: isText)
    } catch {
      throw StepFailure("\(name) cannot send: it is \(client.situation).", details: client.report)
    }
  }

  // MARK: - Conditions

  private func expect(
    _ condition: Condition, _ end: ContinuousClock.Instant, _ deadline: Duration
  ) throws(StepFailure) -> Wait {
    let check = try ConditionCheck(condition)
    return Wait(
      deadline: end, advance: { [unowned self] () throws(StepFailure) in check.holds(now) },
      timeout: { [unowned self] in
        StepFailure("not true within \(deadline.readable)", details: check.report(now))
      })
  }

  private func still(_ condition: Condition, _ duration: Duration) throws(StepFailure) -> Wait {
    let check = try ConditionCheck(condition)
    let begun = ContinuousClock.now
    let end = begun.advanced(by: duration)
    return Wait(
      checkAgain: end,
      advance: { [unowned self] () throws(StepFailure) in
        guard check.holds(now) else {
          let elapsed = begun.duration(to: .now)
          throw StepFailure("no longer true after \(elapsed.readable)", details: check.report(now))
        }
        return ContinuousClock.now >= end
      }, timeout: { StepFailure("not watched to the end") })
  }

  // MARK: - Settling

  /// Waits until nothing is pending and all pages of a room are at one position, confirmed by a ping round trip.
  private func settle(_ end: ContinuousClock.Instant, _ deadline: Duration) -> Wait {
    let members = clients.values.filter { $0.connection.status == .open && !$0.connection.isStalled }
      .sorted { $0.name < $1.name }
    var pings: [(client: ScriptClient, number: Int, position: ClientPosition?)] = []
    return Wait(
      deadline: end,
      advance: { () throws(StepFailure) in
        if let gone = members.first(where: { $0.connection.status != .open }) {
          throw StepFailure("\(gone.name) is \(gone.situation)", details: gone.report)
        }
        guard members.allSatisfy(\.isQuiet), positionsAgree(members) else {
          pings = []
          return false
        }
        if pings.isEmpty {
          pings = members.map { client in
            (client, client.connection.update { $0.ping() }, client.connection.session.position)
          }
        }
        guard pings.allSatisfy({ $0.client.pongs.contains($0.number) }) else { return false }
        guard pings.allSatisfy({ $0.position == $0.client.connection.session.position }) else {
          pings = []
          return false
        }
        return true
      },
      timeout: {
        let places = members.map { client in
          let place = client.connection.session.position.map { "\($0.epoch):\($0.sequence)" } ?? "nowhere"
          return "\(client.name) is at \(place), \(client.connection.session.unconfirmed.count) pending"
        }
        return StepFailure(
          "not settled within \(deadline.readable)", details: places + members.flatMap(\.report))
      })
  }
}

private func positionsAgree(_ clients: [ScriptClient]) -> Bool {
  var latest: [String: Int] = [:]
  for client in clients {
    guard let position = client.connection.session.position else { return false }
    if let other = latest[position.epoch], other != position.sequence { return false }
    latest[position.epoch] = position.sequence
  }
  return true
}

extension ScriptClient {
  /// Whether nothing is on its way from this client.
  fileprivate var isQuiet: Bool {
    connection.session.phase == .live && connection.session.unconfirmed.isEmpty
  }
}

extension Duration {
  /// The time for people: `300 ms`, `2 s`.
  var readable: String {
    let milliseconds = Int(self / .milliseconds(1))
    return milliseconds % 1000 == 0 && milliseconds > 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}
