// SPDX-License-Identifier: Apache-2.0

import MusubiClient
import MusubiText
import Testing

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
    let json = [UInt8](writing: { $0.appendJSON(frame) })

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
        let input = ClientFrame.Input(number: 1, name: "n", payload: .edit(edit, revision: 0))
        let json = [UInt8](writing: { $0.appendJSON(ClientFrame.input(input)) })
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
}
