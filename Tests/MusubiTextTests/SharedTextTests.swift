// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import MusubiText

@Suite struct `A shared text` {
  @Test(arguments: [1, 3]) func `of one typist forgets what the page has, but not the newest turn`(steps: Int)
  {
    var text = SharedText(name: "t", text: "", historyLimit: 100)
    // The last turn has several steps.
    for sequence in 1...9 {
      for _ in 0..<(sequence == 9 ? steps : 1) { _ = text.set(text.text + "x", sequence: sequence) }
    }

    #expect(text.forget(known: 7) == nil, "It is not worth the while.")
    #expect(text.forget(known: text.revision) == 8)

    #expect(text.reaches(back: 8))
    #expect(!text.reaches(back: 7))
    #expect(text.edits(after: 8)?.count == steps)
  }
}
