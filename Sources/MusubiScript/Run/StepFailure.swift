// SPDX-License-Identifier: Apache-2.0

/// The reason why a step failed, and details for a tester.
struct StepFailure: Error, Equatable {
  /// One sentence.
  var message: String
  /// Further lines: last values, frames, the server's last words.
  var details: [String] = []

  init(_ message: String, details: [String] = []) {
    self.message = message
    self.details = details
  }
}

/// The rest of a step after it has begun.
final class Wait {
  /// Whether there is more to do at once, so that the loop must not sleep until something arrives.
  var isBusy: Bool
  /// When to look again at the latest, even if nothing arrives; nil if only an event can change anything.
  private let checkAgain: ContinuousClock.Instant?
  /// When to give up; nil if `advance` ends by itself.
  let deadline: ContinuousClock.Instant?
  /// Goes on; true once the step is done.
  let advance: () throws(StepFailure) -> Bool
  /// Names the missing condition when the deadline passes.
  let timeout: () -> StepFailure

  init(
    isBusy: Bool = false, checkAgain: ContinuousClock.Instant? = nil,
    deadline: ContinuousClock.Instant? = nil,
    advance: @escaping () throws(StepFailure) -> Bool, timeout: @escaping () -> StepFailure
  ) {
    self.isBusy = isBusy
    self.checkAgain = checkAgain
    self.deadline = deadline
    self.advance = advance
    self.timeout = timeout
  }

  /// When the loop has to call `advance` again at the latest; a check that is overdue is repeated every 5 ms.
  var nextCheck: ContinuousClock.Instant? {
    let again = checkAgain.map { max($0, .now.advanced(by: .milliseconds(5))) }
    return [deadline, again].compactMap { $0 }.min()
  }
}
