// SPDX-License-Identifier: Apache-2.0
import MusubiClient
import MusubiWire

extension ScriptRun {
  /// Begins a step.
  ///
  /// - Parameters:
  ///   - action: What to do; no block.
  ///   - deadline: How long it may take.
  ///   - isConcurrent: Whether it stands in `parallel`, and need not wait for what other pages have sent.
  /// - Returns: The rest to wait for; nil if the step is done.
  /// - Throws: `StepFailure` if it fails at once.
  func start(_ action: Action, deadline: Duration, isConcurrent: Bool) throws(StepFailure) -> Wait? {
    let end = ContinuousClock.now.advanced(by: deadline)
    switch action {
    case .within(let other, let step):
      return try start(step.action, deadline: other, isConcurrent: isConcurrent)
    case .open, .openLike, .cookie, .resume, .reload, .drop, .close: return try startConnection(action, end)
    case .expect(let condition): return try expect(condition, end, deadline)
    case .still(let condition, let duration): return try still(condition, duration)
    case .type(let path, _), .erase(let path, _), .caret(let path, _), .set(let path, _), .tap(let path),
      .upload(let path, _, _), .drag(let path, _), .look(let path, _, _, _):
      guard !isConcurrent else { return try startInput(action) }
      return try inTurn(of: path.client, end) { [unowned self] () throws(StepFailure) in
        try startInput(action)
      }
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
    case .delay(let name, let line): try client(name).connection.delay(by: line)
    case .cut(let name, let bytes, .sent): try client(name).connection.cut(afterSent: bytes)
    case .cut(let name, let bytes, .received): try client(name).connection.cut(afterReceived: bytes)
    case .back(let name), .answer(let name, _):
      guard !isConcurrent else { return try startClosing(action, end) }
      return try inTurn(of: name, end) { [unowned self] () throws(StepFailure) in
        try startClosing(action, end)
      }
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

  /// Begins an input once the server has what other pages sent before, so that steps take effect in their order.
  ///
  /// Two sockets have no order of their own: without this, the later of two steps could reach the server first.
  /// Pages that a script has slowed down or stopped on purpose are not waited for.
  private func inTurn(
    of name: String, _ end: ContinuousClock.Instant, _ begin: @escaping () throws(StepFailure) -> Wait?
  ) throws(StepFailure) -> Wait? {
    let others = clients.values.filter { $0.name != name && $0.isSending }
    guard !others.isEmpty else { return try begin() }
    var inner: Wait?
    weak var outer: Wait?
    let wait = Wait(
      deadline: end,
      advance: { () throws(StepFailure) in
        if let inner { return try inner.advance() }
        guard !others.contains(where: \.isSending) else { return false }
        inner = try begin()
        outer?.isBusy = inner?.isBusy ?? false
        return inner == nil
      },
      timeout: {
        let names = others.map(\.name).sorted().joined(separator: " and ")
        return StepFailure(
          "an earlier input of \(names) is not acknowledged; steps that overlap stand in 'parallel'",
          details: others.flatMap(\.report))
      })
    outer = wait
    return wait
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
    let members = condition.clients.compactMap { clients[$0] }
    let begun = ContinuousClock.now
    let end = begun.advanced(by: duration)
    return Wait(
      checkAgain: end, deadline: end.advanced(by: deadline),
      advance: { [unowned self] () throws(StepFailure) in
        // Two pages get one turn at two moments; a person would compare the same state in both.
        guard positionsAgree(members.filter(\.isFollowing)) else { return false }
        guard check.holds(now) else {
          let elapsed = begun.duration(to: .now)
          throw StepFailure("no longer true after \(elapsed.readable)", details: check.report(now))
        }
        return ContinuousClock.now >= end
      }, timeout: { StepFailure("the pages were not in step at the end", details: members.flatMap(\.report)) }
    )
  }

  // MARK: - Settling

  /// Waits until nothing is pending and all pages of a room are at one position, confirmed by a ping round trip.
  private func settle(_ end: ContinuousClock.Instant, _ deadline: Duration) -> Wait {
    let members = clients.values.filter(\.isFollowing).sorted { $0.name < $1.name }
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
        let hasAnswers = !pings.isEmpty && pings.allSatisfy { $0.client.pongs.contains($0.number) }
        let hasMoved = pings.contains { $0.position != $0.client.connection.session.position }
        if pings.isEmpty || (hasAnswers && hasMoved) {
          pings = members.map { client in
            (client, client.connection.update { $0.ping() }, client.connection.session.position)
          }
          return members.isEmpty
        }
        return hasAnswers
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
  /// Whether turns reach this page as they happen.
  fileprivate var isFollowing: Bool { connection.status == .open && !connection.isStalled }

  /// Whether an input of this page is on its way, and nothing holds it back on purpose.
  fileprivate var isSending: Bool {
    isFollowing && !connection.isDelayed && !connection.session.unconfirmed.isEmpty
  }

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
