// SPDX-License-Identifier: Apache-2.0
import MusubiTesting
import Testing

@testable import Greeting

@Suite struct `The README's example` {
  @Test func `greets whoever types a name`() throws {
    let screen = try TestScreen { GreetingView() }
    #expect(screen["greeting"] == "Who are you?")

    try screen.type("Ann", into: "name")

    #expect(screen["greeting"] == "Hello, Ann!")
  }
}
