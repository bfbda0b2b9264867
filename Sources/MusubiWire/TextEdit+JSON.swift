// SPDX-License-Identifier: Apache-2.0
package import MusubiText

extension ByteBuffer {
  /// Appends an edit as a list of `[position, deleted, inserted]`.
  package mutating func appendJSON(_ edit: TextEdit) {
    append(.leftBracket)
    if let single = edit.single {
      appendJSON(single)
    } else {
      for component in edit.components {
        appendJSON(component)
        append(.comma)
      }
    }
    endList(.rightBracket)
  }

  @inline(__always)
  private mutating func appendJSON(_ component: TextEdit.Component) {
    append(.leftBracket)
    appendJSON(component.position)
    append(.comma)
    appendJSON(component.deleted)
    append(.comma)
    appendJSON(component.inserted)
    append(.rightBracket)
  }
}

extension JSONReader {
  /// Reads an edit; its components are ascending and do not overlap.
  package mutating func readTextEdit() throws(WireError) -> TextEdit {
    let start = offset
    var components: [TextEdit.Component] = []
    try enter(.leftBracket)
    if !take(.rightBracket) {
      repeat { components.append(try readComponent()) } while take(.comma)
      try expect(.rightBracket)
    }
    leave()
    let edit = TextEdit(components)
    do throws(TextEditError) {
      try edit.validateOrder()
    } catch {
      throw WireError(.wrongType(member: "edits", expected: "ascending components"), at: start)
    }
    return edit
  }

  private mutating func readComponent() throws(WireError) -> TextEdit.Component {
    try enter(.leftBracket)
    let position = try readInteger("position", in: 0...TextEdit.maximumPosition)
    try expect(.comma)
    let deleted = try readInteger("deleted", in: 0...TextEdit.maximumPosition)
    try expect(.comma)
    let inserted = try readString()
    try expect(.rightBracket)
    leave()
    return TextEdit.Component(position: position, deleted: deleted, inserted: inserted)
  }
}
