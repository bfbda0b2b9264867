// SPDX-License-Identifier: Apache-2.0
import Testing

import MusubiText
@testable import MusubiWire

/// The quick ways read and write the same as the ways piece by piece.
@Suite struct `The quick ways` {
  private static let texts = [
    "", "7", "00004711", "結び", "a\"b\\c", "\u{1}\n\t", "😀", String(repeating: "x\"", count: 200),
  ]

  private func quickEdit(_ json: some Sequence<UInt8>) -> ClientFrame? {
    var name = "another"
    return Array(json).withUnsafeBytes { QuickEdit($0, recentName: &name) }.map { .input($0.input) }
  }

  private func read(_ json: String) throws -> ClientFrame { try ClientFrame(json: Array(json.utf8)) }

  @Test(arguments: texts, [0, 9, 10, 99, 100, 815, 1 << 40]) func `an edit`(text: String, revision: Int)
    throws
  {
    let edit = TextEdit(position: 3, deleted: 12, inserted: text)
    let frame = ClientFrame.input(
      ClientFrame.Input(number: 1 + revision, name: "number", payload: .edit(edit, revision: revision)))
    var json: [UInt8] = []
    json.appendJSON(frame)

    #expect(try ClientFrame(json: json) == frame)
    // A space makes it take the other way.
    #expect(try ClientFrame(json: [0x20] + json) == frame)
    let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x80 && $0 != .quote && $0 != .backslash }
    #expect(quickEdit(json) == (isPlain ? frame : nil))
  }

  @Test(arguments: [
    #"{"input":0,"name":"n","revision":1,"edits":[[0,0,"x"]]}"#,
    #"{"input":01,"name":"n","revision":1,"edits":[[0,0,"x"]]}"#,
    #"{"input":-1,"name":"n","revision":1,"edits":[[0,0,"x"]]}"#,
    #"{"input":9007199254740992,"name":"n","revision":1,"edits":[[0,0,"x"]]}"#,
    #"{"input":1,"name":"n","revision":1,"edits":[[2147483649,0,"x"]]}"#,
    #"{"input":1,"name":"n","revision":1,"edits":[[0,0,"x"]]}}"#,
    #"{"input":1,"name":"n","revision":1,"edits":[[0,0,"x"]]"#,
    #"{"input":1,"name":"n","revision":1,"edits":[[0,0,"x]]}"#,
  ]) func `refuse nothing and let nothing pass`(json: String) {
    #expect(quickEdit(json.utf8) == nil)
    #expect(throws: WireError.self) { try read(json) }
  }

  @Test func `a name that comes again is the same, and another one is another`() {
    var recent = ""
    for name in ["number", "number", "numbes", "numb", "", "a longer name than fits", "number"] {
      let json = Array(#"{"input":1,"name":"\#(name)","revision":1,"edits":[[0,0,"x"]]}"#.utf8)
      #expect(json.withUnsafeBytes { QuickEdit($0, recentName: &recent) }?.name == name)
    }
  }

  @Test(arguments: ["\"", "\\", "\u{1f}", " ", "\u{7f}", "é", "😀"])
  func `a character at every place of a text is written and read as itself`(character: String) throws {
    for length in 0...18 {
      for place in 0...length {
        let text =
          String(repeating: "x", count: place) + character + String(repeating: "~", count: length - place)
        let edit = TextEdit(position: 0, inserted: text)
        var plain: [UInt8] = []
        plain.appendJSON(edit)
        plain.append(.comma)
        var quick = ByteScratch()
        quick.append(atMost: ReservedBytes.maxEditBytes(edit) + 1) {
          $0.edit(edit)
          $0.byte(.comma)
        }

        #expect(Array(quick.bytes) == plain)

        let input = ClientFrame.Input(number: 1, name: "n", payload: .edit(edit, revision: 0))
        var json: [UInt8] = []
        json.appendJSON(ClientFrame.input(input))
        #expect(try ClientFrame(json: json) == .input(input))
      }
    }
  }

  @Test func `every beginning of an edit is no edit`() {
    let json = Array(#"{"input":12,"name":"number","revision":3,"edits":[[0,8,"00004711"]]}"#.utf8)

    for count in json.indices {
      #expect(quickEdit(json[..<count]) == nil)
    }
  }

  @Test(arguments: texts, [0, 2]) func `frames`(text: String, screen: Int) {
    let edits = [
      TextEdit(position: 0, deleted: 8, inserted: text), TextEdit([]),
      TextEdit([
        .init(position: 1, deleted: 0, inserted: text), .init(position: 9, deleted: 10, inserted: ""),
      ]),
    ]
    var plain = FrameWriter()
    var quick = FrameWriter()

    for number in [1, 9, 10, 4_711, Int(Int32.max), Int.max] {
      plain.acknowledge(number, revision: number - 1, screen: screen)
      plain.acknowledge(number)
      quick.write(atMost: 2 * ReservedBytes.maxAckBytes) {
        $0.acknowledge(number, revision: number - 1, screen: screen)
        $0.acknowledge(number, revision: nil, screen: 0)
      }
    }
    #expect(quick.bytes == plain.bytes)

    plain = FrameWriter()
    plain.beginTurn(sequence: 815, screen: screen)
    plain.replace("label", with: .string(text))
    plain.replace("count", with: 7)
    plain.edits("label", revision: 16, steps: [edits[0], edits[2], edits[2]])
    plain.edits("other", revision: 4, steps: [edits[1]])
    plain.event("saved")
    plain.event("toast", value: .string(text))
    plain.endTurn()
    let replacements = BytePieces([FrameWriter.beginningOfReplace("label")])
    var pieces = TurnPieces()
    // The bytes of before are forgotten.
    for round in 1...2 {
      pieces.add(edits[0], to: 0)
      pieces.add(edits[1], to: 1)
      for _ in 4...5 { pieces.add(edits[2], to: 0) }
      replacements.withPiece(0) { pieces.replace($0, with: text) }
      pieces.add(.replace(path: JSONPointer(["count"]), value: 7))
      pieces.add("saved", nil)
      pieces.add("toast", .string(text))
      if round == 1 { pieces.removeAll() }
    }
    var bytes: [UInt8] = []
    let heads = BytePieces(["label", "other"].map(FrameWriter.beginningOfEdits))
    pieces.write(to: &bytes, sequence: 815, screen: screen, maxHeadBytes: heads.longest + 2) { text, writer in
      heads.withPiece(text) { writer.raw($0) }
      writer.integer([16, 4][text])
    }
    #expect(bytes == plain.bytes)

    plain = FrameWriter()
    plain.beginTurn(sequence: 815, screen: screen)
    plain.replace("label", with: .string(text))
    plain.replace("count", with: 7)
    plain.replace("label.field", with: .string(text))
    plain.event("saved")
    plain.event("toast", value: .string(text))
    plain.endTurn()
    var field = FrameWriter.beginningOfReplace("label.field")
    field.appendJSON(text)
    field.appendRaw("},")
    bytes = []
    pieces.write(to: &bytes, sequence: 815, screen: screen, texts: field)
    #expect(bytes == plain.bytes)
  }

  @Test(arguments: [70, 125, 126, 60_000, 65_535, 65_536, 66_000])
  func `a frame of any length, with the shortest header`(length: Int) {
    let others = #"{"sequence":1,"patch":[{"op":"replace","path":"/label","value":""}]}"#.utf8.count
    let text = String(repeating: "x", count: length - others)
    var plain = FrameWriter()
    plain.beginTurn(sequence: 1)
    plain.replace("label", with: .string(text))
    plain.endTurn()

    var pieces = TurnPieces()
    BytePieces([FrameWriter.beginningOfReplace("label")]).withPiece(0) { pieces.replace($0, with: text) }
    var bytes: [UInt8] = []
    pieces.write(to: &bytes, sequence: 1, screen: 0, texts: [])
    #expect(bytes == plain.bytes)
    #expect(WebSocketFrame.payload(ofUnmasked: bytes).first == .leftBrace)
    #expect(bytes.count - length == (length < 126 ? 2 : length < 65_536 ? 4 : 10))
  }
}
