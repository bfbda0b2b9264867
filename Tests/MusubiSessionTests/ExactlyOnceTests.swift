// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiClient
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

/// A scripted session on a bad network: what comes of it must be the same whatever is cut, killed or refused.
private final class Ordeal: SimulatedPeer {
  /// What goes wrong.
  struct Fault: CustomStringConvertible {
    /// For each connection of the page: after how many bytes in which direction it is cut.
    var cuts: [(toServer: Int?, toPage: Int?)] = []
    /// When the server is killed.
    var kills: [Duration] = []
    /// When the store refuses.
    var refusal: Range<Duration>?
    var commit: Duration = .milliseconds(1)
    var seed: UInt64 = 1
    var loops = 1

    var description: String {
      "cuts \(cuts) kills \(kills) refusal \(String(describing: refusal)) commit \(commit) seed \(seed) loops \(loops)"
    }
  }

  let network: SimulatedNetwork
  private let store = SimulatedStore()
  private let outside = Outside()
  private let fault: Fault
  private var session = ClientSession()
  private var link: SimulatedLink?
  private var connections = 0
  private var sessions: Set<String> = []
  private var problems: [String] = []
  /// How many bytes each connection has carried.
  private(set) var traffic: [SimulatedLink] = []

  init(_ fault: Fault) {
    self.fault = fault
    network = SimulatedNetwork(
      seed: fault.seed, loops: fault.loops, latency: .init(.milliseconds(3), .milliseconds(3)), store: store,
      routes: [.counter(outside), .second])
    outside.network = network
    store.delay = fault.commit
  }

  /// Runs the script to its end.
  ///
  /// - Returns: What is wrong with the outcome; nil if nothing is.
  func run() -> String? {
    if let refusal = fault.refusal {
      network.schedule(refusal.lowerBound) { [self] in store.failure = "The disk is full." }
      network.schedule(refusal.upperBound) { [self] in store.failure = nil }
    }
    for kill in fault.kills {
      network.schedule(kill) { [self] in
        outside.crash()
        network.restartServer()
      }
    }
    connect()
    for (time, step) in script { network.schedule(.milliseconds(time)) { [self] in whenReady(step) } }
    for _ in 0..<60 where !isDone { network.run(until: network.now + .seconds(1)) }
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

  private var steps: [() -> Void] = []
  private var done = 0

  /// A person acts on what the page shows: in order, and not before it shows a state.
  private func whenReady(_ step: @escaping () -> Void) {
    steps.append(step)
    act()
  }

  private func act() {
    while done < steps.count, session.position != nil {
      // What needs a dialog or a second screen waits until it is there, and what follows waits with it.
      if done == 7, session.stack.last?.dialog == nil { break }
      if done == 9, session.shown == 0 { break }
      if done > 9, session.shown != 0 { break }
      steps[done]()
      done += 1
    }
    send()
  }

  private var isDone: Bool { done == 12 && session.unconfirmed.isEmpty && session.phase == .live }

  private var verdict: String? {
    if let problem = problems.first { return problem }
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
    if connections < fault.cuts.count { link.cut = fault.cuts[connections] }
    connections += 1
    traffic.append(link)
    self.link = link
  }

  private func send() {
    guard session.phase != .offline else { return }
    for frame in session.takeFrames() { link?.send(frame) }
  }

  func opened(_ link: SimulatedLink) {
    guard link === self.link else { return }
    session.connectionOpened()
    act()
  }

  func received(_ payload: [UInt8], on link: SimulatedLink) {
    guard link === self.link else { return }
    do {
      for notice in try session.receive(payload) {
        if case .error(let code, let message, _) = notice { problems.append("\(code): \(message)") }
      }
    } catch {
      problems.append("\(error) for \(String(decoding: payload, as: UTF8.self))")
    }
    if let identifier = session.identifier { sessions.insert(identifier) }
    act()
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

/// `MUSUBI_LONG=1` tries every combination instead of a sample.
@Suite(.serialized) struct `A session with taps, typing, an effect and two screens ends the same` {
  private let isLong = ProcessInfo.processInfo.environment["MUSUBI_LONG"] == "1"

  /// Runs a session for each fault.
  private func expect(_ faults: some Sequence<Ordeal.Fault>) {
    for fault in faults {
      if let problem = Ordeal(fault).run() {
        Issue.record("\(problem); \(fault)")
        return
      }
    }
  }

  @Test func `when nothing goes wrong`() { expect([Ordeal.Fault()]) }

  @Test func `wherever its first connection is cut, byte by byte, in both directions`() {
    let whole = Ordeal(Ordeal.Fault())
    _ = whole.run()
    let bytes = whole.traffic[0].sent
    #expect(bytes.toServer > 400 && bytes.toPage > 1_000)

    expect((0..<bytes.toServer).map { cut in Ordeal.Fault(cuts: [(toServer: cut, toPage: nil)]) })
    expect((0..<bytes.toPage).map { cut in Ordeal.Fault(cuts: [(toServer: nil, toPage: cut)]) })
  }

  @Test func `wherever the resume is cut, and the resume after that`() {
    let (coarse, fine) = isLong ? (1, 1) : (53, 17)
    for first in stride(from: 90, to: 560, by: coarse) {
      let ordeal = Ordeal(Ordeal.Fault(cuts: [(toServer: first, toPage: nil)]))
      _ = ordeal.run()
      guard ordeal.traffic.count > 1 else { continue }
      let second = ordeal.traffic[1].sent
      expect(
        stride(from: first % fine, to: min(second.toServer, 400), by: fine).map { cut in
          Ordeal.Fault(cuts: [
            (first, nil), (toServer: cut, toPage: nil), (toServer: cut / 2 + 60, toPage: nil),
          ])
        })
      expect(
        stride(from: first % fine, to: min(second.toPage, 600), by: fine).map { cut in
          Ordeal.Fault(cuts: [
            (first, nil), (toServer: nil, toPage: cut), (toServer: nil, toPage: cut / 2 + 60),
          ])
        })
    }
  }

  @Test(arguments: [1, 2]) func `whenever the server is killed`(loops: Int) {
    let steps = stride(from: 1, to: 200, by: 1)
    for commit in [Duration.milliseconds(1), .milliseconds(12)] {
      expect(
        steps.map {
          Ordeal.Fault(kills: [.milliseconds($0)], commit: commit, seed: UInt64($0), loops: loops)
        })
    }
    expect(
      steps.map { step in
        let kills = [step, step + 9 + step % 17, step + 40 + step % 5].map { Duration.milliseconds($0) }
        return Ordeal.Fault(kills: kills, commit: .milliseconds(step % 7), seed: UInt64(step), loops: loops)
      })
  }

  @Test func `whenever the server is killed and a connection is cut as well`() {
    expect(
      stride(from: 30, to: 190, by: isLong ? 1 : 5).flatMap { step in
        stride(from: 0, to: 500, by: isLong ? 7 : 41).map { cut in
          Ordeal.Fault(
            cuts: [(nil, nil), (toServer: cut, toPage: nil), (toServer: nil, toPage: cut)],
            kills: [.milliseconds(step)], commit: .milliseconds(4), seed: UInt64(step * 1_000 + cut))
        }
      })
  }

  @Test func `when the store is slow or refuses for a while, also with a kill in between`() {
    expect(
      stride(from: 20, to: 180, by: isLong ? 1 : 4).flatMap { step -> [Ordeal.Fault] in
        let refusal = Duration.milliseconds(step)..<Duration.milliseconds(step + 2_300)
        return [
          Ordeal.Fault(refusal: refusal),
          Ordeal.Fault(kills: [.milliseconds(step + 35)], refusal: refusal, seed: UInt64(step)),
          Ordeal.Fault(cuts: [(toServer: 2 * step, toPage: nil)], refusal: refusal, seed: UInt64(step)),
          Ordeal.Fault(kills: [.milliseconds(step + 900)], commit: .milliseconds(700), seed: UInt64(step)),
        ]
      })
  }
}
