// SPDX-License-Identifier: Apache-2.0
import MusubiClient

/// An input that the server has not acknowledged, with the step that has sent it.
struct SentInput {
  let number: Int
  let step: Step
  let sent: ContinuousClock.Instant
}

extension ScriptClient {
  /// Notes the inputs that have left since the last look.
  func note(_ step: Step) {
    for input in connection.session.unconfirmed.reversed() {
      guard input.number > lastNoted else { break }
      underWay.append(SentInput(number: input.number, step: step, sent: .now))
    }
    lastNoted = connection.session.unconfirmed.last?.number ?? lastNoted
  }

  /// Hands on how long those inputs took that are acknowledged now.
  func takeAcknowledged(_ measured: (Step, Duration) -> Void) {
    guard !underWay.isEmpty else { return }
    let oldest = connection.session.unconfirmed.first?.number ?? .max
    let now = ContinuousClock.now
    for input in underWay where input.number < oldest { measured(input.step, input.sent.duration(to: now)) }
    underWay.removeAll { $0.number < oldest }
  }

  /// Whether the server still has to acknowledge an input of this page.
  var isAwaited: Bool {
    connection.status == .open && !connection.isStalled && !connection.session.unconfirmed.isEmpty
  }
}

extension Action {
  /// The page of a step that sends inputs; nil for another step.
  var inputClient: String? {
    switch self {
    case .type(let path, _), .erase(let path, _), .set(let path, _), .tap(let path): path.client
    case .back(let name), .answer(let name, _): name
    case .within(_, let inner): inner.action.inputClient
    default: nil
    }
  }

  /// Whether the step is measured from its begin to its end: it opens a page, or waits for something.
  var isMeasuredByItself: Bool {
    switch self {
    case .open, .openLike, .resume, .reload, .expect, .settle: true
    case .within(_, let inner): inner.action.isMeasuredByItself
    default: false
    }
  }
}

extension [Step] {
  /// The steps that a load measures, in the order of the script.
  var measured: [Step] {
    flatMap { step in
      switch step.action {
      case .parallel(let inner), .repeats(_, let inner), .include(let inner): inner.measured
      default: step.action.isMeasuredByItself || step.action.inputClient != nil ? [step] : []
      }
    }
  }
}
