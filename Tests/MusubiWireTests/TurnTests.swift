// SPDX-License-Identifier: Apache-2.0

import MusubiText
import Testing

@testable import MusubiWire

@Suite struct `Turns written in pieces` {
  @Test(arguments: ["", "7", "結び", "a\"b\\c", "\u{1}\n", String(repeating: "x\"", count: 200)], [0, 2])
  func `hold what was added, each text once`(text: String, screen: Int) {
    let string = Value.string(text).description
    let steps = [
      TextEdit(position: 0, deleted: 8, inserted: text), TextEdit([]),
      TextEdit([
        .init(position: 1, deleted: 0, inserted: text), .init(position: 9, deleted: 10, inserted: ""),
      ]),
    ]
    var pieces = TurnPieces()
    // What was collected before is forgotten.
    for round in 1...2 {
      pieces.add(steps[0], to: 0)
      pieces.add(steps[1], to: 1)
      for _ in 4...5 { pieces.add(steps[2], to: 0) }
      pieces.replace(TurnPieces.beginningOfReplace("a/b"), with: .string(text))
      pieces.add(.replace(path: ["count"], value: 7))
      pieces.add("saved", nil)
      pieces.add("toast", .string(text))
      if round == 1 { pieces.removeAll() }
    }

    var frame = ByteBuffer()
    pieces.write(to: &frame, sequence: 815, screen: screen) { text, buffer in
      buffer.append(contentsOf: TurnPieces.beginningOfEdits(["label", "other"][text]))
      buffer.appendJSON([16, 4][text])
    }

    let patch =
      #"{"op":"replace","path":"/a~1b","value":\#(string)},{"op":"replace","path":"/count","value":7}"#
    let long = "[[1,0,\(string)],[9,10,\"\"]]"
    let edits =
      #""edits":{"label":{"revision":16,"steps":[[[0,8,\#(string)]],\#(long),\#(long)]},"#
      + #""other":{"revision":4,"steps":[[]]}}"#
    let events = #""events":[{"name":"saved"},{"name":"toast","value":\#(string)}]"#
    let rest = screen == 0 ? "}" : #","screen":2}"#
    #expect(
      Self.payload([UInt8](frame)) == #"{"sequence":815,"patch":[\#(patch)],\#(edits),\#(events)"# + rest)

    var field = ByteBuffer()
    field.appendRaw("{},")
    frame.removeAll()
    pieces.write(to: &frame, sequence: 815, screen: screen, texts: field)
    #expect(Self.payload([UInt8](frame)) == #"{"sequence":815,"patch":[\#(patch),{}],\#(events)"# + rest)
  }

  @Test(arguments: [70, 125, 126, 60_000, 65_535, 65_536, 66_000])
  func `a frame of any length, with the shortest header`(length: Int) {
    let others = #"{"sequence":1,"patch":[{"op":"replace","path":"/label","value":""}]}"#.utf8.count
    var pieces = TurnPieces()
    let text = Value.string(String(repeating: "x", count: length - others))
    pieces.replace(TurnPieces.beginningOfReplace("label"), with: text)

    var frame = ByteBuffer()
    pieces.write(to: &frame, sequence: 1, screen: 0) { _, _ in }

    let bytes = frame.count
    #expect(bytes - length == (length < 126 ? 2 : length < 65_536 ? 4 : 10))
    #expect(Self.payload([UInt8](frame)).utf8.count == length)
    #expect(Self.payload([UInt8](frame)).hasPrefix(#"{"sequence":1,"#))
  }

  private static func payload(_ frame: [UInt8]) -> String {
    String(decoding: WebSocketFrame.payload(ofUnmasked: frame), as: UTF8.self)
  }
}
