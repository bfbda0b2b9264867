// SPDX-License-Identifier: Apache-2.0
import MusubiClient

/// A page that taps now and then, and comes back as a browser's page does, to another server behind the same balancer.
final class TappingPage {
  let connection: ClientConnection
  /// Sessions that it has begun; one, unless something was lost.
  private(set) var begun = 0
  /// When it had the first acknowledgement on a connection that was opened after `awaitAnswer`.
  private(set) var firstAnswer: ContinuousClock.Instant?
  private var hasToAnswer = false, isAwaiting = false
  private var attempt = 0
  private var openedAt: ContinuousClock.Instant?
  private var returnAt: ContinuousClock.Instant?
  /// When it taps or connects again.
  private(set) var due = ContinuousClock.now

  /// - Parameters:
  ///   - room: The room of its number screen.
  ///   - address: Any server.
  init(room: String, address: ServerAddress) {
    connection = ClientConnection(server: address, target: "/live/number?room=\(room)")
  }

  /// Whether its inputs go out.
  var isOpen: Bool { connection.session.phase == .live }

  /// Whether nothing of it is on its way.
  private var isQuiet: Bool { isOpen && connection.session.unconfirmed.isEmpty }

  /// Connects to a server.
  func connect(to address: ServerAddress) throws(BenchError) {
    connection.server = address
    openedAt = nil
    do { try connection.connect() } catch { throw BenchError("a page cannot connect: \(error)") }
  }

  /// Taps at the moment of a kill, unless a tap is on its way, and waits for the answer on another connection.
  func awaitAnswer() {
    (hasToAnswer, isAwaiting, firstAnswer) = (true, false, nil)
    tapIfQuiet()
  }

  private func tapIfQuiet() {
    if connection.session.unconfirmed.isEmpty { connection.update { $0.tap("roll") } }
  }

  /// Looks at what has come, and taps if it is time.
  ///
  /// - Returns: Whether it is time to connect again.
  func step(_ now: ContinuousClock.Instant) -> Bool {
    begun += connection.notices.count { $0 == .began }
    connection.notices.removeAll()
    switch connection.status {
    case .open:
      if openedAt == nil { (openedAt, isAwaiting) = (now, true) }
      guard isQuiet else { return false }
      if isAwaiting, firstAnswer == nil { firstAnswer = now }
      guard now >= due else { return false }
      connection.update { $0.tap("roll") }
      due = now + .milliseconds(Int.random(in: 50..<150))
    case .closed(_, let reason): return mayReturn(now, told: reason)
    case .refused: return mayReturn(now, told: "")
    case .idle, .connecting: break
    }
    return false
  }

  /// The pauses of the browser's client.
  private func mayReturn(_ now: ContinuousClock.Instant, told reason: String) -> Bool {
    // The connection may have taken the tap's acknowledgement along at its end.
    if hasToAnswer, firstAnswer == nil { tapIfQuiet() }
    if let returnAt {
      guard now >= returnAt else { return false }
      self.returnAt = nil
      return true
    }
    let life = openedAt.map { $0.duration(to: now) } ?? .zero
    attempt = life > .seconds(5) ? 1 : attempt + 1
    let told = Int(reason.prefix { $0.isNumber }) ?? -1
    let pause =
      told >= (life > .seconds(1) ? 0 : 1)
      ? told : Int(Double.random(in: 0..<1) * min(10_000, 500 * Double(1 << min(attempt - 1, 10))))
    returnAt = now + .milliseconds(pause)
    due = now + .milliseconds(pause)
    return false
  }
}
