// SPDX-License-Identifier: Apache-2.0
import Simulation
import Testing

/// A sample; `musubi-simulate COUNT FIRST-SEED models` runs more.
@Suite struct `People who use one shared model from several loops over a bad network` {
  @Test func `have each command carried out once, and see the same`() {
    let failure = ModelSimulation().firstFailure(seeds: 0..<100)

    if let failure { Issue.record("\(failure)") }
  }

  /// A timer's command was carried out again when the input that had set the timer came again (the first four), and a page's
  /// former connection took the session from its new one.
  @Test(arguments: [2_756, 4_781, 7_818, 8_510, 3_022, 3_478, 3_653, 5_273] as [UInt64])
  func `have it so in schedules that have shown a mistake`(seed: UInt64) {
    let failure = ModelSimulation().firstFailure(seeds: seed..<(seed + 1))

    if let failure { Issue.record("\(failure)") }
  }
}
