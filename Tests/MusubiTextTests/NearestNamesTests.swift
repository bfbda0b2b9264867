// SPDX-License-Identifier: Apache-2.0
import MusubiText
import Testing

@Suite struct `The names that somebody may have meant` {
  @Test(arguments: [
    ("clok", ["clock", "color"]), ("Clock", ["clock"]), ("clockk", ["clock"]), ("colour", ["color"]),
    ("rol", ["roll", "role"]), ("minute", ["minutes"]), ("frobnicate", []), ("", []), ("x", []),
  ])
  func `are at most two, the nearest first, and none that is far`(name: String, nearest: [String]) {
    let names = ["clock", "minutes", "color", "roll", "role", "ab", "y"]

    #expect(names.nearest(to: name) == nearest)
  }

  @Test func `are none where there is none`() {
    #expect([].nearest(to: "clock") == [])
  }
}
