// SPDX-License-Identifier: Apache-2.0
@testable import MusubiScript
import Testing

@Suite struct `Every step of the language` {
  @Test func `is understood`() throws {
    let text = """
      open a /number?room=$fresh
      open b like a plain
      open c /number origin https://elsewhere.example refused 403 origin-not-allowed
      expect a.number = "0"
      type a.number "42"
      erase a.number 1
      caret a.number end
      set a.number ""
      settle
      tap b.roll
      still a.label = b.label for 300ms
      drop b
      resume b
      expect b resumed by patches
      expect b resumed afresh
      raw a {"nonsense":1}
      expect a error unknown-input
      expect a close 4501
      expect a event message = "saved"
      save x = b.label
      stall a
      wake a
      delay a 500ms
      delay a 100ms jitter 50ms loss 5%
      cut a after 17 bytes
      cut a after 17 bytes received
      kill server
      stop server
      restart server
      reload a
      back a
      answer a "Delete"
      close a
      within 5s expect b.label != $x
      parallel
        tap b.roll
        repeat 2
          tap b.roll
        end
      end
      """

    let script = try ScriptParser.parse(text, file: "all.musubi")

    #expect(script.steps.count == 35)
  }
}
