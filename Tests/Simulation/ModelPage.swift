// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiClient
import MusubiTesting
import MusubiWire

/// A page with a view of a shared model, of the Swift client: it comes back when the connection is lost.
final class ModelPage: SimulatedPeer {
  let name: String
  /// What must not have happened but has.
  private(set) var failure: SimulationFailure?
  /// The numbers whose inputs are acknowledged.
  private(set) var taken: Set<Int> = []
  /// The numbers of inputs that a session had when it was gone: nobody knows what became of them.
  private(set) var uncertain: Set<Int> = []
  private(set) var link: SimulatedLink?
  /// Whether it stays away when it has lost the connection.
  var isAway = false
  private var session = ClientSession()
  private var waiting: Set<Int> = []
  private var isOpen = false
  private let network: SimulatedNetwork

  init(_ network: SimulatedNetwork, name: String) {
    self.network = network
    self.name = name
  }

  /// Whether it is connected and waits for nothing.
  var isSettled: Bool { session.phase == .live && session.unconfirmed.isEmpty }
  var sum: Int? { session.state["sum"]?.intValue }
  var numbers: [Int]? { numbers(of: "numbers") }
  /// What the model has answered.
  var answers: [Int] { numbers(of: "answers") ?? [] }

  private func numbers(of name: String) -> [Int]? { session.state[name]?.arrayValue?.compactMap(\.intValue) }

  func connect() {
    guard link == nil, !isAway else { return }
    link = network.connect(
      self, screen: "ledger",
      query: session.identifier == nil ? ["edits": "1"] : ["edits": "1", "resume": "1"])
  }

  func give(_ number: Int, by input: String) { perform { $0.set(input, to: .integer(Int64(number))) } }

  func reload() {
    link?.drop()
    link = nil
    isOpen = false
    perform { $0.forgetState() }
    // Two handshakes of one moment would have no order.
    network.schedule(network.now + .milliseconds(1)) { [weak self] in self?.connect() }
  }

  // MARK: - The network

  func opened(_ link: SimulatedLink) {
    guard link === self.link else { return }
    isOpen = true
    perform { $0.connectionOpened() }
  }

  func received(_ payload: [UInt8], on link: SimulatedLink) {
    guard link === self.link else { return }
    if SimulatedPage.traces { print("\(network.now) \(name) < \(String(decoding: payload, as: UTF8.self))") }
    perform { session in
      for notice in try session.receive(payload) {
        if case .error(let code, let message, _) = notice, code != "session-unknown" {
          throw SimulationFailure(message)
        }
      }
    }
  }

  func closed(_ link: SimulatedLink, code: UInt16?) {
    guard link === self.link else { return }
    self.link = nil
    isOpen = false
    if let code, code >= 4_500, !(code == 4_502 && comesLate) {
      fail("the server closed the connection with \(code)")
    }
    perform { $0.connectionLost() }
    let pause = Duration.milliseconds(Int(network.random.next() % 2_000))
    network.schedule(network.now + pause) { [weak self] in self?.connect() }
  }

  /// Whether a former connection's request may come over a slow link, behind that of the new one, and take the session.
  private var comesLate: Bool { network.nodes.count > 1 }

  private func perform(_ work: (inout ClientSession) throws -> Void) {
    guard failure == nil else { return }
    let known = session.identifier
    do { try work(&session) } catch { return fail("\(error)") }
    let left = Set(session.unconfirmed.compactMap { $0.value?.intValue })
    if let known, session.identifier != known {
      uncertain.formUnion(waiting.union(left))
    } else {
      taken.formUnion(waiting.subtracting(left))
    }
    waiting = left
    for frame in session.takeFrames() where isOpen {
      if SimulatedPage.traces { print("\(network.now) \(name) > \(String(decoding: frame, as: UTF8.self))") }
      link?.send(frame)
    }
  }

  private func fail(_ message: String) {
    if failure == nil { failure = SimulationFailure("\(name): \(message)") }
  }
}
