// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

extension ByteBuffer {
  /// Appends a client's frame as JSON, without a WebSocket header.
  package mutating func appendJSON(_ frame: ClientFrame) {
    switch frame {
    case .ping(let number):
      append(#"{"ping":"#, number)
      append(.rightBrace)
    case .resume(let resume):
      append(#"{"resume":{"session":"#, resume.session)
      append(#","token":"#, resume.token)
      appendRaw(#","position":"#)
      appendJSON(StreamPosition(epoch: resume.epoch, sequence: resume.sequence))
      appendRaw("}}")
    case .handOver(let name, let value):
      append(#"{"handOver":{"name":"#, name)
      append(#","value":"#, value)
      appendRaw("}}")
    case .endHandOver(let position, let lineage):
      appendRaw(#"{"handOver":{"position":"#)
      appendJSON(position)
      appendRaw(#","lineage":"#)
      appendJSON(lineage)
      appendRaw("}}")
    case .input(let input): appendJSON(input)
    case .caret(let caret):
      append(#"{"caret":"#, caret.text)
      if let selection = caret.selection {
        append(#","revision":"#, caret.revision)
        append(#","at":["#, selection.lowerBound)
        append(",", selection.upperBound)
        append(.rightBracket)
      }
      appendScreen(caret.screen)
      append(.rightBrace)
    }
  }

  private mutating func appendJSON(_ input: ClientFrame.Input) {
    append(#"{"input":"#, input.number)
    switch input.payload {
    case .back, .dismiss: break
    case .none, .value, .edit, .firstEdit:
      append(#","name":"#, input.name)
    }
    switch input.payload {
    case .none: break
    case .back(let screen):
      append(#","back":"#, screen)
    case .dismiss(let dialog):
      append(#","dismiss":"#, dialog)
    case .value(let value):
      append(#","value":"#, value)
    case .edit(let edit, let revision):
      append(#","revision":"#, revision)
      appendRaw(#","edits":"#)
      appendJSON(edit)
    case .firstEdit(let edit, let sequence, let shown):
      append(#","sequence":"#, sequence)
      if let shown { append(#","shown":"#, shown) }
      appendRaw(#","edits":"#)
      appendJSON(edit)
    }
    if input.row.count == 1 {
      append(#","row":"#, input.row[0])
    } else if !input.row.isEmpty {
      append(#","row":"#, .array(input.row.map(Value.string)))
    }
    appendScreen(input.screen)
    append(.rightBrace)
  }
}
