// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import MusubiSession

@Suite struct `Recent connections` {
  private final class Line {}

  @Test func `are at hand until another one takes their place, or they go`() {
    var recent = RecentConnections()
    let (first, second) = (Line(), Line())
    let (one, other) = (ConnectionID(5), ConnectionID(5 + 1_024))

    recent[one] = first
    #expect(recent[one] === first)
    #expect(recent[other] == nil)

    recent[other] = second
    #expect(recent[one] == nil)
    #expect(recent[other] === second)

    // The earlier one goes: the later one stays.
    recent[one] = nil
    #expect(recent[other] === second)
    recent[other] = nil
    #expect(recent[other] == nil)
  }
}
