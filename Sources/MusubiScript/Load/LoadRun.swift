// SPDX-License-Identifier: Apache-2.0
import Glibc
import MusubiClient

/// All visitors of a load, on one thread.
struct LoadRun {
  private let script: Script
  private let plan: LoadPlan
  private let visitors: [LoadVisitor]

  init(_ script: Script, _ plan: LoadPlan) {
    self.script = script
    self.plan = plan
    let run = UInt32.random(in: 0 ... .max)
    let now = ContinuousClock.now
    // Spread over a second, since all at once would measure the rush alone.
    let spread = min(.seconds(1), plan.duration / 4)
    visitors = (0..<plan.visitors).map { index in
      LoadVisitor(
        script, plan, name: "b\(run)-\(index)", lineSeed: "\(script.name) \(index)",
        begins: now.advanced(by: spread * index / plan.visitors))
    }
  }

  /// Plays until the time is over; what is under way then is cut off, and does not count as a round.
  func run() -> LoadResult {
    let begun = ContinuousClock.now
    let end = begun.advanced(by: plan.duration)
    let cpu = Self.processSeconds
    while ContinuousClock.now < end {
      for visitor in visitors { visitor.advance() }
      let isBusy = visitors.contains(where: \.isBusy)
      let next = isBusy ? .now : visitors.compactMap(\.nextCheck).reduce(end, min)
      ClientConnection.turn(visitors.flatMap(\.connections), until: next)
      for visitor in visitors { visitor.takeNotices() }
    }
    let seconds = begun.duration(to: .now) / .seconds(1)
    for visitor in visitors { visitor.leave() }
    let rows = script.steps.measured.map { step in
      var row = LoadResult.Row(name: "\(step.location.line)  \(step.source)")
      for visitor in visitors { visitor.latencies[step.location].map { row.latencies.add($0) } }
      return row
    }
    return LoadResult(
      plan: plan, seconds: seconds, loadShare: (Self.processSeconds - cpu) / seconds, rows: rows,
      rounds: visitors.reduce(0) { $0 + $1.rounds },
      failures: visitors.reduce(into: [:]) { $0.merge($1.failures, uniquingKeysWith: +) })
  }

  /// The CPU time of this program.
  private static var processSeconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}

/// One visitor of a load, who plays the script round by round, each with new pages.
final class LoadVisitor {
  /// What the visitor does.
  private enum Phase {
    /// Nothing until then.
    case waiting(ContinuousClock.Instant)
    case playing(ScriptRun, StepRunner)
    /// All steps are done; the server has not acknowledged all inputs.
    case ending(ScriptRun, deadline: ContinuousClock.Instant)
  }

  private let script: Script
  private let plan: LoadPlan
  private let name: String
  /// What decides jitter and loss in this visitor's rounds; others have their own, or all would lose at once.
  private let lineSeed: String
  private let server: ScriptServer
  private var phase: Phase
  /// How long the steps took, by where they stand.
  private(set) var latencies: [SourceLocation: Latencies] = [:]
  /// How many rounds went from the first step to the last.
  private(set) var rounds = 0
  /// How often the rounds failed, by place and reason.
  private(set) var failures: [String: Int] = [:]

  /// Whoever is refused does not ask again at once.
  private static let pauseAfterFailure = Duration.seconds(1)
  private static let maxReasons = 20

  init(
    _ script: Script, _ plan: LoadPlan, name: String, lineSeed: String, begins: ContinuousClock.Instant
  ) {
    self.script = script
    self.plan = plan
    self.name = name
    self.lineSeed = lineSeed
    server = ScriptServer(address: plan.server)
    phase = .waiting(begins)
  }

  var connections: [ClientConnection] { run?.clients.values.map(\.connection) ?? [] }

  /// Whether there is more to do at once.
  var isBusy: Bool { if case .playing(_, let runner) = phase { runner.isBusy } else { false } }

  /// When to look again at the latest.
  var nextCheck: ContinuousClock.Instant? {
    switch phase {
    case .waiting(let begins): begins
    case .playing(_, let runner): runner.nextCheck
    case .ending(_, let deadline): deadline
    }
  }

  /// Goes on as far as possible without waiting.
  func advance() {
    switch phase {
    case .waiting(let begins):
      guard ContinuousClock.now >= begins else { return }
      let total = rounds + failures.values.reduce(0, +)
      let run = ScriptRun(
        server: server, deadline: plan.deadline, fresh: "\(name)-\(total)",
        lineSeed: "\(lineSeed) \(total)", isTracing: false, output: { _ in })
      run.onMeasured = { [unowned self] step, duration in
        latencies[step.location, default: Latencies()].add(duration)
      }
      phase = .playing(run, StepRunner(script.steps, in: run))
      advance()
    case .playing(let run, let runner):
      do throws(StepRunner.Failed) {
        guard try runner.advance() else { return }
        phase = .ending(run, deadline: .now.advanced(by: plan.deadline))
        advance()
      } catch {
        fail(
          "\(error.step.location.file):\(error.step.location.line): \(error.step.source): \(error.failure.message)"
        )
      }
    case .ending(let run, let deadline):
      if run.clients.values.allSatisfy({ !$0.isAwaited }) {
        rounds += 1
        wait(plan.pause)
      } else if ContinuousClock.now >= deadline {
        fail("\(script.file): not all inputs are acknowledged within \(plan.deadline.readable)")
      }
    }
  }

  func takeNotices() { run?.takeNotices() }

  /// Leaves in the middle of a round.
  func leave() { run?.closeAll() }

  private var run: ScriptRun? {
    switch phase {
    case .waiting: nil
    case .playing(let run, _), .ending(let run, _): run
    }
  }

  private func fail(_ reason: String) {
    if failures.count < Self.maxReasons || failures[reason] != nil { failures[reason, default: 0] += 1 }
    wait(max(plan.pause, Self.pauseAfterFailure))
  }

  private func wait(_ pause: Duration) {
    leave()
    phase = .waiting(.now.advanced(by: pause))
  }
}
