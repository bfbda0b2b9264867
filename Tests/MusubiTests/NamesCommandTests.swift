// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import Testing

@testable import Musubi

@Suite struct `The command line of names` {
  @Test func `tells each name once, of whichever screen, as JSON`() {
    let schemas = [
      "tea": ScreenSchema(
        inputs: [.init(name: "name", kind: .string), .init(name: "wave", kind: .void)],
        outputs: ["name", "waves"], events: ["greeted"]),
      "pot": ScreenSchema(inputs: [.init(name: "wave", kind: .void)], outputs: ["level"]),
    ]

    #expect(
      NamesCommand.text(of: schemas)
        == #"{"screens":["pot","tea"],"inputs":["name","wave"],"outputs":["greeted","level","name","waves"]}"#
    )
  }
}
