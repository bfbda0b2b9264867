// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import Testing

@testable import MusubiSession

/// In a file of its own: what waits is not to wait for the many kills of `SharedModelTests`.
@Suite(.timeLimit(.minutes(5))) struct `A shared model in a test of its screen` {
  @Test func `is used at once`() throws {
    let scheduler = TestScheduler(initialClock: 0)
    let context = ScreenContext(screen: "", clock: scheduler, random: RandomSource(seed: 0))
    let till = try Till(context)
    let screen = try TestScreen { TillScreen(Shared(till, sender: Visitor(id: "ann"))) }
    try screen.send(3, to: "add")
    #expect(screen["sum"] == "3" && screen["answers"] == #"["3"]"#)
    #expect(till.from.value == ["ann"])
  }

  @Test func `waits for what its commands wait for`() async throws {
    let scheduler = TestScheduler(initialClock: 0)
    let context = ScreenContext(screen: "", clock: scheduler, random: RandomSource(seed: 0))
    let desk = Till.Desk()
    let shared = Shared(try Till(context, desk))
    let screen = try TestScreen { TillScreen(shared) }
    try screen.send(3, to: "addLater")
    #expect(screen["sum"] == "3" && screen["answers"] == "[]")
    desk.go()
    await shared.settle()
    #expect(screen["answers"] == #"["6"]"#)
  }

  @Test func `is missed by a screen whose application has none`() {
    #expect(throws: SchemaError.self) {
      try TestScreen(query: [:]) { context in try TillScreen(context) }
    }
  }
}
