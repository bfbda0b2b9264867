// SPDX-License-Identifier: Apache-2.0
import Simulation
import Testing

/// A sample; `musubi-simulate COUNT FIRST-SEED models` runs more.
@Suite struct `People who use one shared model from several loops over a bad network` {
  @Test func `have each command carried out once, and see the same`() {
    let failure = ModelSimulation().firstFailure(seeds: 0..<100)

    if let failure { Issue.record("\(failure)") }
  }
}
