// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

extension Room {
  /// Writes the whole state at the newest turn.
  func writeSnapshot(to writer: inout FrameWriter, screen: Int) {
    writer.beginSnapshot(screen: screen)
    for slot in instance.board.slots {
      if let value = slot.value { writer.member(slot.name, value) }
    }
    for text in texts { writer.member(text.name, suffix: ".field", .string(text.text)) }
    let revisions = texts.map { ($0.name, $0.revision) }.sorted { $0.0 < $1.0 }
    writer.endSnapshot(epoch: epoch, sequence: sequence, revisions: revisions, by: authors)
  }
}
