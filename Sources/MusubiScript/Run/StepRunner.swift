// SPDX-License-Identifier: Apache-2.0

/// Runs a list of steps one after the other, or all at once, as far as it can go without waiting.
final class StepRunner {
  private enum Part {
    case waiting(Step, Wait, begun: ContinuousClock.Instant)
    case nested(StepRunner, Step, begun: ContinuousClock.Instant)
  }

  /// A failure with the step to blame.
  struct Failed: Error {
    let step: Step
    let failure: StepFailure
  }

  private let run: ScriptRun
  private let depth: Int
  private let isQuiet: Bool
  private let isConcurrent: Bool
  private var remaining: ArraySlice<Step>
  private var rounds: Int
  private var round = 1
  private let steps: [Step]
  private let isParallel: Bool
  private var parts: [Part] = []

  init(
    _ steps: [Step], in run: ScriptRun, depth: Int = 0, isParallel: Bool = false, rounds: Int = 1,
    isQuiet: Bool = false,
    isConcurrent: Bool = false
  ) {
    self.steps = steps
    self.run = run
    self.depth = depth
    self.isParallel = isParallel
    self.rounds = rounds
    self.isQuiet = isQuiet
    self.isConcurrent = isConcurrent || isParallel
    remaining = steps[...]
  }

  /// Whether a part has more to do at once.
  var isBusy: Bool {
    parts.contains { part in
      switch part {
      case .waiting(_, let wait, _): wait.isBusy
      case .nested(let inner, _, _): inner.isBusy
      }
    }
  }

  /// When the loop has to look again at the latest.
  var nextCheck: ContinuousClock.Instant? {
    parts.compactMap { part in
      switch part {
      case .waiting(_, let wait, _): wait.nextCheck
      case .nested(let inner, _, _): inner.nextCheck
      }
    }.min()
  }

  /// Goes on as far as possible.
  ///
  /// - Returns: Whether all steps are done.
  /// - Throws: `Failed` with the first step that failed.
  func advance() throws(Failed) -> Bool {
    while true {
      try advanceParts()
      guard parts.isEmpty || isParallel else { return false }
      if let step = remaining.popFirst() {
        try begin(step)
        continue
      }
      guard parts.isEmpty else { return false }
      guard round < rounds else { return true }
      round += 1
      remaining = steps[...]
    }
  }

  private func advanceParts() throws(Failed) {
    var kept: [Part] = []
    for part in parts {
      switch part {
      case .nested(let inner, let step, let begun):
        if try inner.advance() { report(step, begun) } else { kept.append(part) }
      case .waiting(let step, let wait, let begun):
        if try finish(wait, step) { report(step, begun) } else { kept.append(part) }
      }
    }
    parts = kept
  }

  private func finish(_ wait: Wait, _ step: Step) throws(Failed) -> Bool {
    do throws(StepFailure) {
      let isDone = try wait.advance()
      run.sent(by: step)
      if isDone { return true }
      if let deadline = wait.deadline, ContinuousClock.now >= deadline { throw wait.timeout() }
      return false
    } catch {
      throw Failed(step: step, failure: error)
    }
  }

  private func begin(_ step: Step) throws(Failed) {
    let begun = ContinuousClock.now
    run.setRound(round, of: rounds)
    switch step.action {
    case .include(let inner):
      nest(
        StepRunner(inner, in: run, depth: depth + 1, isQuiet: isQuiet, isConcurrent: isConcurrent), step,
        begun)
    case .parallel(let inner):
      nest(
        StepRunner(
          inner, in: run, depth: depth + 1, isParallel: true, isQuiet: isQuiet, isConcurrent: isConcurrent),
        step, begun)
    case .repeats(let count, let inner):
      nest(
        StepRunner(
          inner, in: run, depth: depth + 1, rounds: count, isQuiet: true, isConcurrent: isConcurrent), step,
        begun)
    default:
      do throws(StepFailure) {
        let wait = try run.start(step.action, deadline: run.deadline, isConcurrent: isConcurrent)
        run.sent(by: step)
        if let wait {
          parts.append(.waiting(step, wait, begun: begun))
        } else {
          report(step, begun)
        }
      } catch {
        throw Failed(step: step, failure: error)
      }
    }
  }

  private func nest(_ inner: StepRunner, _ step: Step, _ begun: ContinuousClock.Instant) {
    parts.append(.nested(inner, step, begun: begun))
  }

  private func report(_ step: Step, _ begun: ContinuousClock.Instant) {
    run.passed(step, depth: depth, isQuiet: isQuiet, took: begun.duration(to: .now))
  }
}
