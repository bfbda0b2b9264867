// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Musubi

@Suite struct `JSON in a log` {
  @Test func `a turn is its number and what changed by path`() {
    let frame = """
      {"sequence":4,"patch":[{"op":"replace","path":"/label","value":"57"},{"op":"remove","path":"/list/2"},\
      {"op":"move","path":"/list/0","from":"/list/1"}],\
      "edits":{"number":{"revision":3,"steps":[[[1,0,"2"]],[[0,2,"57"]]]}},"events":[{"name":"saved"}]}
      """

    let turn = ReadableJSON().turn(frame)

    #expect(turn.sequence == "4")
    #expect(
      turn.changes == """
        {"label":"57","-list/2":null,"list/0":{"from":"/list/1"},"number.field":[[1,0,"2"]],\
        "number.field":[[0,2,"57"]],"saved":null}
        """)
  }

  @Test func `a long value is cut, and says so`() {
    let readable = ReadableJSON(maximumCharacters: 3, maximumElements: 2)

    #expect(
      readable.shortened(#"["abcd",[1,2,3],{"a":1,"b":2,"c":3}]"#) == #"["abc…",[1,2,"… 1 more"],"… 1 more"]"#
    )
    #expect(readable.shortened(#"{"a":1,"b":2,"c":3}"#) == #"{"a":1,"b":2,"…":null}"#)
    #expect(readable.shortened("back from screen 3") == "back from…")
    #expect(readable.shortened("no JSON") == "no JSON")
  }
}
