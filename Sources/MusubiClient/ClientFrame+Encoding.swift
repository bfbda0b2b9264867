// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

extension ByteBuffer {
  /// Appends a client's frame as JSON, without a WebSocket header.
  package mutating func appendJSON(_ frame: ClientFrame) {
    switch frame {
    case .ping(let number):
      appendRaw(#"{"ping":"#)
      appendJSON(number)
      append(.rightBrace)
    case .resume(let resume):
      appendRaw(#"{"resume":{"session":"#)
      appendJSON(resume.session)
      appendRaw(#","token":"#)
      appendJSON(resume.token)
      appendRaw(#","position":"#)
      appendJSON(StreamPosition(epoch: resume.epoch, sequence: resume.sequence))
      appendRaw("}}")
    case .handOver(let name, let value):
      appendRaw(#"{"handOver":{"name":"#)
      appendJSON(name)
      appendRaw(#","value":"#)
      appendJSON(value)
      appendRaw("}}")
    case .endHandOver(let position, let lineage):
      appendRaw(#"{"handOver":{"position":"#)
      appendJSON(position)
      appendRaw(#","lineage":"#)
      appendJSON(lineage)
      appendRaw("}}")
    case .input(let input): appendJSON(input)
    }
  }

  private mutating func appendJSON(_ input: ClientFrame.Input) {
    appendRaw(#"{"input":"#)
    appendJSON(input.number)
    switch input.payload {
    case .back, .dismiss: break
    case .none, .value, .edit, .firstEdit:
      appendRaw(#","name":"#)
      appendJSON(input.name)
    }
    switch input.payload {
    case .none: break
    case .back(let screen):
      appendRaw(#","back":"#)
      appendJSON(screen)
    case .dismiss(let dialog):
      appendRaw(#","dismiss":"#)
      appendJSON(dialog)
    case .value(let value):
      appendRaw(#","value":"#)
      appendJSON(value)
    case .edit(let edit, let revision):
      appendRaw(#","revision":"#)
      appendJSON(revision)
      appendRaw(#","edits":"#)
      appendJSON(edit)
    case .firstEdit(let edit, let sequence):
      appendRaw(#","sequence":"#)
      appendJSON(sequence)
      appendRaw(#","edits":"#)
      appendJSON(edit)
    }
    if input.row.count == 1 {
      appendRaw(#","row":"#)
      appendJSON(input.row[0])
    } else if !input.row.isEmpty {
      appendRaw(#","row":"#)
      appendJSON(Value.array(input.row.map(Value.string)))
    }
    appendScreen(input.screen)
    append(.rightBrace)
  }
}
