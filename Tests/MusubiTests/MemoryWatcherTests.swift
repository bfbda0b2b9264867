// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Musubi

@Suite struct `The guard of the process's memory` {
  @Test(arguments: [(0.1, 100), (0.59, 100), (0.6, 20), (0.84, 20)])
  func `leaves all as it is below 85 per cent, and looks more often from 60 on`(
    pressure: Double, milliseconds: Int
  ) {
    let step = MemoryWatcher.step(at: pressure, after: pressure)
    #expect(step == MemoryWatcher.Step(freed: nil, wait: .milliseconds(milliseconds)))
  }

  @Test(arguments: [0.85, 0.9, 1]) func `frees until 75 per cent are left`(pressure: Double) {
    // It may be less than before.
    for last in [pressure, 1] {
      let step = MemoryWatcher.step(at: pressure, after: last)
      #expect(abs(pressure * (1 - (step.freed ?? 0)) - 0.75) < 0.001)
      #expect(step.wait == .milliseconds(20))
    }
  }

  @Test func `begins earlier where memory grows quickly`() {
    #expect(MemoryWatcher.step(at: 0.7, after: 0.68).freed == nil)
    #expect(MemoryWatcher.step(at: 0.7, after: 0.66).freed ?? 0 > 0.1)
  }
}
