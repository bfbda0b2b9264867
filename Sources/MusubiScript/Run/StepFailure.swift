// SPDX-License-Identifier: Apache-2.0

/// Why a step failed, and what a tester wants to see then.
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

/// What is left of a step after it has begun.
struct Wait {
  /// Whether there is more to do at once, so that the loop must not sleep until something arrives.
  var isBusy = false
  /// When to look again at the latest, even if nothing arrives; nil if only an event can change anything.
  var checkAgain: ContinuousClock.Instant?
  /// When to give up; nil if `advance` ends by itself.
  var deadline: ContinuousClock.Instant?
  /// Goes on; true once the step is done.
  var advance: () throws(StepFailure) -> Bool
  /// Says what is missing when the deadline passes.
  var timeout: () -> StepFailure
}
