// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// Each test says how many sessions it ran, and how many it must be: nobody can reduce the trials unnoticed.
///
/// `MUSUBI_LONG=1` tries every product instead of a part of it.
@Suite(.serialized) struct `A session with taps, typing, an effect and two screens ends the same` {
  private typealias Fault = FaultyRun.Fault
  private let isLong = ProcessInfo.processInfo.environment["MUSUBI_LONG"] == "1"
  private let faults = Faults()

  /// Cuts, and the connection that follows them.
  private typealias Branch = (cuts: [Fault.Cut], next: SimulatedLink)

  /// Runs a session for each fault.
  ///
  /// - Returns: Those in which a connection follows all that were cut.
  @discardableResult
  private func expect(_ name: String, _ faults: [Fault], atLeast least: Int) -> [Branch] {
    print("\(name): \(faults.count) sessions")
    #expect(faults.count >= least)
    let results = Results()
    // Each session has a network of its own.
    let cores = ProcessInfo.processInfo.activeProcessorCount
    DispatchQueue.concurrentPerform(iterations: cores) { core in
      for index in stride(from: core, to: faults.count, by: cores) {
        guard results.run(faults[index], index) else { return }
      }
    }
    for problem in results.problems { Issue.record("\(problem)") }
    return results.branches
  }

  /// What became of sessions that run at the same time.
  ///
  /// `@unchecked Sendable`: all is behind the lock, and who runs a session lets it go when it has ended.
  private final class Results: @unchecked Sendable {
    private let lock = NSLock()
    private var found: [(index: Int, branch: Branch)] = []
    private(set) var problems: [String] = []

    /// In the order of the faults.
    var branches: [Branch] { found.sorted { $0.index < $1.index }.map(\.branch) }

    /// Runs a session.
    ///
    /// - Returns: Whether all have ended well so far.
    func run(_ fault: Fault, _ index: Int) -> Bool {
      let faultyRun = FaultyRun(fault)
      let problem = faultyRun.run()
      return lock.withLock {
        if let problem {
          problems.append("\(problem); \(fault)")
        } else if faultyRun.traffic.count > fault.cuts.count {
          found.append((index, (fault.cuts, faultyRun.traffic[fault.cuts.count])))
        }
        return problems.isEmpty
      }
    }
  }

  @discardableResult
  private func expect(_ name: String, cuts: [[Fault.Cut]], atLeast least: Int) -> [Branch] {
    expect(name, cuts.map { Fault(cuts: $0) }, atLeast: least)
  }

  /// Cuts a connection of the longest of some branches at each of its bytes.
  private func expectEveryByte(
    _ name: String, _ branches: [Branch], atLeast least: (toServer: Int, toPage: Int)
  ) {
    guard let up = branches.max(by: { $0.next.sent.toServer < $1.next.sent.toServer }),
      let down = branches.max(by: { $0.next.sent.toPage < $1.next.sent.toPage })
    else { return }
    let (toServer, toPage) = (up.next.sent.toServer, down.next.sent.toPage)
    print("\(name): each of \(toServer) bytes to the server, \(toPage) to the page")
    #expect(toServer >= least.toServer && toPage >= least.toPage)
    let cuts =
      (0..<toServer).map { up.cuts + [Fault.Cut(toServer: $0)] }
      + (0..<toPage).map { down.cuts + [Fault.Cut(toPage: $0)] }
    expect(name, cuts: cuts, atLeast: least.toServer + least.toPage)
  }

  @Test func `when nothing goes wrong`() {
    expect("calm", [Fault()], atLeast: 1)
    print("\(faults.calm.steps) steps, \(faults.calm.commits) commits")
    #expect(faults.calm.steps >= 90 && faults.calm.commits >= 11)
  }

  @Test func `wherever its first connection is cut, byte by byte, in both directions`() {
    expectEveryByte("first", [([], faults.calm.traffic[0])], atLeast: (500, 1_600))
  }

  @Test func `when frames from before a cut arrive after its return`() {
    let cuts = faults.stragglers(isLong ? Faults.bytes : Faults.cases)
    expect("stragglers", cuts: cuts, atLeast: isLong ? 3_400 : 40)
  }

  @Test func `wherever the resume is cut, and the resume after that`() {
    let first = Faults.cases(faults.calm.traffic[0]).map { [$0] }
    let second = expect("first, case by case", cuts: first, atLeast: 35)
    let choices = second.flatMap { branch in Faults.cases(branch.next).map { branch.cuts + [$0] } }
    let third = expect("second, case by case", cuts: choices, atLeast: 900)
    expectEveryByte("second", second, atLeast: (600, 1_600))
    expectEveryByte("third", third, atLeast: (600, 1_600))
    // Of each pair of cuts one more in its resume, another one each time; or all of them.
    let triples = third.enumerated().flatMap { index, branch -> [[Fault.Cut]] in
      let cases = Faults.cases(branch.next)
      return (isLong ? cases : [cases[index % cases.count]]).map { branch.cuts + [$0] }
    }
    let fourth = expect("third, case by case", cuts: triples, atLeast: isLong ? 16_800 : 900)
    guard isLong else { return }
    expectEveryByte("fourth", fourth, atLeast: (600, 1_500))
    expect(
      "second, byte by byte after each case",
      cuts: second.flatMap { branch in Faults.bytes(branch.next).map { branch.cuts + [$0] } },
      atLeast: 52_000)
  }

  @Test func `whenever the server is killed`() {
    expect("killed", faults.kills, atLeast: 690)
    expect(
      "killed again and again", faults.repeatedKills(stride: isLong ? 1 : 40), atLeast: isLong ? 9_300 : 240)
  }

  @Test func `whenever the server is killed and a connection is cut as well`() {
    expect("killed and cut", faults.killsAndCuts(stride: isLong ? 1 : 9), atLeast: isLong ? 2_100 : 100)
  }

  @Test func `when the store is slow or refuses, also with a kill in between`() {
    expect("refused", faults.refusals, atLeast: 22)
    expect(
      "refused and killed", faults.refusalsAndKills(stride: isLong ? 1 : 7), atLeast: isLong ? 1_650 : 200)
    expect(
      "slow",
      stride(from: 20, to: 180, by: isLong ? 1 : 4).flatMap { time -> [Fault] in
        let refusal = Duration.milliseconds(time)..<Duration.milliseconds(time + 2_300)
        return [
          Fault(refusal: refusal), Fault(cuts: [.init(toServer: 2 * time)], refusal: refusal),
          Fault(kills: [time], refusal: refusal, seed: UInt64(time)),
          Fault(kills: [time], commit: .milliseconds(700), seed: UInt64(time)),
        ]
      }, atLeast: isLong ? 640 : 160)
  }

  @Test(arguments: [false, true], [FaultyRun.Fault.Unloads.sessions, .all])
  func `when all that may leave memory does so at once`(
    _ isShared: Bool, _ unloads: FaultyRun.Fault.Unloads
  ) {
    var unloaded = (sessions: 0, rooms: 0)
    func expect(_ faults: [Fault], atLeast least: Int) {
      #expect(faults.count >= least)
      for var fault in faults {
        (fault.unloads, fault.isShared) = (unloads, isShared)
        let faultyRun = FaultyRun(fault)
        if let problem = faultyRun.run() {
          Issue.record("\(problem); \(fault)")
          return
        }
        unloaded.sessions += faultyRun.unloads.sessions
        unloaded.rooms += faultyRun.unloads.rooms
      }
    }
    let cuts = isLong ? Faults.bytes(faults.calm.traffic[0]) : Faults.cases(faults.calm.traffic[0])
    expect(cuts.map { Fault(cuts: [$0]) }, atLeast: isLong ? 2_000 : 35)
    expect(cuts.flatMap { cut in [20, 90].map { Fault(cuts: [cut, .init(toServer: $0)]) } }, atLeast: 70)
    expect(cuts.map { Fault(cuts: [$0], commit: .milliseconds(12), loops: 2) }, atLeast: 35)
    expect(
      cuts.enumerated().map { Fault(cuts: [$1, .init(toPage: 300)], kills: [40 + $0]) }, atLeast: 35)
    print("\(unloads), shared: \(isShared): \(unloaded)")
    #expect(unloaded.sessions > 100, "Else nothing was tested.")
    #expect((unloaded.rooms > 100) == (isShared && unloads == .all))
  }

  @Test func `with an observable model as well, when it is cut, killed or refused`() {
    func model(_ faults: [Fault]) -> [Fault] {
      faults.map { fault in
        var fault = fault
        fault.isModel = true
        return fault
      }
    }
    let calm = FaultyRun(model([Fault()])[0])
    #expect(calm.run() == nil)
    let bytes = Faults.bytes(calm.traffic[0]).enumerated()
      .filter { isLong || $0.offset.isMultiple(of: 10) }.map { Fault(cuts: [$0.element]) }
    expect("model, cut", model(bytes), atLeast: isLong ? 2_000 : 200)
    expect("model, killed", model(faults.kills), atLeast: 690)
    expect("model, refused", model(faults.refusals), atLeast: 22)
    expect(
      "model, killed and cut", model(faults.killsAndCuts(stride: isLong ? 1 : 9)),
      atLeast: isLong ? 2_100 : 100)
  }

  @Test(arguments: Mistake.allCases) func `but not with a mistake`(mistake: Mistake) {
    let fault = found(mistake).first { fault in
      guard let problem = FaultyRun(fault, mistake).run() else { return false }
      print("\(mistake) is found by \(mistake.search): \(problem); \(fault)")
      return true
    }
    #expect(fault != nil, "Nothing of \(mistake.search) finds it.")
  }

  /// The sessions one of which is to find a mistake; all of them end well without it, as the other tests show.
  private func found(_ mistake: Mistake) -> [Fault] {
    let first = Faults.cases(faults.calm.traffic[0])
    switch mistake.search {
    case .cuts: return first.map { Fault(cuts: [$0]) }
    case .stragglers: return faults.stragglers(Faults.cases).map { Fault(cuts: $0) }
    case .kills: return faults.kills
    case .refusalsAndKills: return faults.refusalsAndKills(stride: 7)
    case .cutsInResumes:
      return first.flatMap { first -> [Fault] in
        let faultyRun = FaultyRun(Fault(cuts: [first]))
        _ = faultyRun.run()
        return faultyRun.traffic.dropFirst().prefix(1).flatMap(Faults.cases).map { Fault(cuts: [first, $0]) }
      }
    }
  }
}

@Suite struct `A token that was replaced` {
  /// The answer to a thief who has a session's first token, after its page has shown that it has the second.
  ///
  /// - Parameter isRetired: Whether the server forgets the first one; a test of the test if not.
  /// - Returns: The code of the error; nil if the thief is let in.
  private func answer(isRetired: Bool) -> Value? {
    let network = SimulatedNetwork(seed: 8, routes: [.counter(), .second])
    let page = RawPage(network, "counter")
    func settle() { network.run(until: network.now + .seconds(1)) }
    settle()
    let (session, first) = (page.session, page.token)
    network.onStep = { [unowned network] _ in
      guard !isRetired else { return }
      guard let loop = network.services.first as? SessionLoop else { return }
      let (hash, before) = (loop.environment.hash(page.token), loop.environment.hash(first))
      loop.sessions[session]?.rotate(to: hash, from: before)
    }
    page.link?.drop()
    settle()
    page.resume()
    settle()
    page.send(#"{"ping":1}"#)
    settle()
    let thief = RawPage(network, "counter", query: ["resume": "1"])
    thief.send(#"{"resume":{"session":"\#(session)","token":"\#(first)","position":["",0]}}"#)
    settle()
    return thief.last("error")?["code"]
  }

  @Test func `is refused, and a server that does not retire it is found`() {
    #expect(answer(isRetired: true) == "token-refused")
    #expect(answer(isRetired: false) == nil)
  }
}
