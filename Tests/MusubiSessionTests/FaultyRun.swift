// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire

@testable import MusubiClient
@testable import MusubiSession

/// A scripted session on a bad network: its outcome must be the same after any cut, kill or refusal.
final class FaultyRun: SimulatedPeer {
  /// The faults of a run.
  struct Fault: CustomStringConvertible {
    /// After how many bytes in a direction a connection is cut.
    struct Cut {
      var toServer: Int?
      var toPage: Int?
      /// How much later frames on their way still arrive, after the page has come back; nil if they are lost.
      var linger: Duration?
    }

    /// For each connection of the page.
    var cuts: [Cut] = []
    /// After which steps of the network the server is killed.
    var kills: Set<Int> = []
    /// What becomes of a commit that a kill interrupts; nil to let chance decide.
    var keepsInterrupted: Bool?
    /// The commits that the store refuses, and a time in which it refuses all.
    var refusals: Set<Int> = []
    var refusal: Range<Duration>?
    var commit: Duration = .milliseconds(1)
    var seed: UInt64 = 1
    var loops = 1
    /// What leaves memory after each step, as soon as it may.
    var unloads = Unloads.nothing
    /// Whether the first screen is in a room that others might show.
    var isShared = false
    /// Whether the first screen is an `@Observable` model.
    var isModel = false

    enum Unloads: CaseIterable { case nothing, sessions, all }

    var description: String {
      """
      cuts \(cuts) kills \(kills.sorted()) keeps \(String(describing: keepsInterrupted)) refusals \
      \(refusals.sorted()) refusal \(String(describing: refusal)) commit \(commit) seed \(seed) loops \(loops) \
      unloads \(unloads) shared \(isShared)
      """
    }
  }

  let network: SimulatedNetwork
  private let store = SimulatedStore()
  private let outside = Outside()
  private let fault: Fault
  private let mistake: Mistake?
  private var session = ClientSession()
  private var link: SimulatedLink?
  private var connections = 0
  private var sessions: Set<String> = []
  private var problems: [String] = []
  /// The connections of the page, the first one first: what each has carried.
  private(set) var traffic: [SimulatedLink] = []
  /// The last input that was acknowledged, as it was sent.
  private var inputs: [Int: [UInt8]] = [:]
  /// How many steps the network took until all was done.
  private(set) var steps = 0
  /// How many commits there were.
  var commits: Int { store.commits }
  /// How many sessions and rooms have left memory.
  private(set) var unloads = (sessions: 0, rooms: 0)

  /// - Parameters:
  ///   - fault: What goes wrong outside of the program.
  ///   - mistake: The mistake in the program: a test of the tests.
  init(_ fault: Fault, _ mistake: Mistake? = nil) {
    self.fault = fault
    self.mistake = mistake
    var configuration = SessionConfiguration()
    mistake?.plant(in: &configuration)
    let scope: Scope = fault.isShared ? .room(default: "lobby") : .session
    let counter: ScreenRoute =
      fault.isModel ? .counterModel(outside, scope: scope) : .counter(outside, scope: scope)
    network = SimulatedNetwork(
      seed: fault.seed, loops: fault.loops, latency: .init(.milliseconds(3), .milliseconds(3)),
      configuration: configuration, store: store, routes: [counter, .second])
    outside.network = network
    store.delay = fault.commit
    store.refusals = fault.refusals
    store.keepsInterrupted = fault.keepsInterrupted
    mistake?.plant(in: store)
    let sabotage = mistake?.sabotage(of: network)
    network.onStep = { [unowned self, unowned network] step in
      sabotage?()
      unload()
      guard fault.kills.contains(step) else { return }
      outside.crash()
      network.restartServer()
    }
  }

  private func unload() {
    guard fault.unloads != .nothing else { return }
    for service in network.services {
      guard let hub = (service as? Gateway)?.sessions ?? service as? SessionLoop else { continue }
      unloads.sessions += Array(hub.sessions.all).count { hub.sessions.unload($0) }
      guard fault.unloads == .all else { continue }
      unloads.rooms += Array(hub.rooms.all).count { hub.rooms.unload($0) }
    }
  }

  /// Runs the script to its end.
  ///
  /// - Returns: The problem of the outcome; nil if there is none.
  func run() -> String? {
    if let refusal = fault.refusal {
      network.schedule(refusal.lowerBound) { [self] in store.failure = "The disk is full." }
      network.schedule(refusal.upperBound) { [self] in store.failure = nil }
    }
    connect()
    for (time, step) in script { network.schedule(.milliseconds(time)) { [self] in whenReady(step) } }
    for _ in 0..<60 where !isDone { network.run(until: network.now + .seconds(1)) }
    steps = network.steps
    network.run(until: network.now + .seconds(1))
    return verdict
  }

  private var script: [(Int, () -> Void)] {
    func tap(_ name: String) -> () -> Void { { [self] in session.tap(name) } }
    func type(_ text: String) -> () -> Void {
      { [self] in
        do { try session.type(text, into: "text") } catch { problems.append("\(error)") }
      }
    }
    return [
      (40, tap("tap")), (44, type("a")), (48, tap("tap")), (52, tap("ask")), (53, tap("tap")),
      (60, type("結")),
      (64, type("b")), (80, { [self] in _ = session.answer("tap") }), (90, tap("next")),
      (110, { [self] in _ = session.goBack() }), (130, tap("tap")), (132, type("c")),
    ]
  }

  private var actions: [() -> Void] = []
  private var done = 0

  /// A person acts on what the page shows: in order, and not before it shows a state.
  private func whenReady(_ action: @escaping () -> Void) {
    actions.append(action)
    act()
  }

  private func act() {
    while done < actions.count, session.position != nil {
      // What needs a dialog or a second screen waits until it is there, and what follows waits with it.
      if done == 7, session.stack.last?.dialog == nil { break }
      if done == 9, session.shown == 0 { break }
      if done > 9, session.shown != 0 { break }
      actions[done]()
      done += 1
    }
    send()
  }

  private var isDone: Bool { done == 12 && session.unconfirmed.isEmpty && session.phase == .live }

  private var verdict: String? {
    if let problem = problems.first ?? store.misfits.first { return problem }
    let text = session.text(of: "text") ?? ""
    let found = (
      sum: session.state["sum"]?.stringValue ?? "", text: text, echo: session.state["echo"]?.stringValue ?? ""
    )
    guard isDone else { return "not done: step \(done), \(session.unconfirmed.count) wait, \(session.phase)" }
    guard found == (sum: "5", text: "a結bc", echo: "a結bc") else { return "\(found)" }
    guard outside.posts.count == 1 else { return "posts \(outside.posts)" }
    guard session.stack.last?.number ?? 0 == 0, session.stack.last?.dialog == nil else {
      return "\(session.stack)"
    }
    guard sessions.count == 1, session.lost.isEmpty else { return "sessions \(sessions)" }
    return nil
  }

  // MARK: - The network

  private func connect() {
    var query = ["edits": "1"]
    if session.identifier != nil { query["resume"] = "1" }
    let link = network.connect(self, screen: "counter", query: query)
    if connections < fault.cuts.count {
      let cut = fault.cuts[connections]
      link.cut = (cut.toServer, cut.toPage)
      link.linger = cut.linger
    }
    connections += 1
    traffic.append(link)
    self.link = link
  }

  private func send() {
    guard session.phase != .offline else { return }
    for frame in session.takeFrames() {
      if let number = number(of: frame) { inputs[number] = frame }
      link?.send(frame)
    }
    if mistake == .pageForgetsWhatItSent { session.outbox = [] }
  }

  func opened(_ link: SimulatedLink) {
    guard link === self.link else { return }
    session.connectionOpened()
    act()
  }

  func received(_ payload: [UInt8], on link: SimulatedLink) {
    guard link === self.link else { return }
    do {
      for notice in try session.receive(mistake?.falsify(payload) ?? payload) {
        if case .error(let code, let message, _) = notice { problems.append("\(code): \(message)") }
      }
    } catch {
      problems.append("\(error) for \(String(decoding: payload, as: UTF8.self))")
    }
    if let identifier = session.identifier { sessions.insert(identifier) }
    if payload.starts(with: Array(#"{"resumed""#.utf8)) { repeatTheLast() }
    act()
  }

  /// Sends the last acknowledged input once more, as a client may that does not look at numbers.
  private func repeatTheLast() {
    inputs = inputs.filter { $0.key <= session.acknowledged }
    guard let last = inputs.max(by: { $0.key < $1.key }) else { return }
    inputs = [last.key: last.value]
    link?.send(last.value)
  }

  private func number(of frame: [UInt8]) -> Int? {
    do {
      guard case .input(let input) = try ClientFrame(json: frame) else { return nil }
      return input.number
    } catch {
      problems.append("\(error)")
      return nil
    }
  }

  func closed(_ link: SimulatedLink, code: UInt16?) {
    guard link === self.link else { return }
    self.link = nil
    session.connectionLost()
    network.schedule(network.now + .milliseconds(7)) { [weak self] in
      if let self, self.link == nil { connect() }
    }
  }
}
