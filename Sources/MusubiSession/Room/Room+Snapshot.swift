// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiText
import MusubiWire

/// The whole state, for pages that have none or fell behind.
extension Room {
  /// Writes the whole state at the newest turn.
  func writeSnapshot(to buffer: inout ByteBuffer, screen: Int) {
    let keyed = texts.map { ($0.name, $0.revision) } + (rows?.all ?? []).map { ($0.key, $0.text.revision) }
    let revisions = keyed.sorted { $0.0 < $1.0 }
    buffer.snapshot(
      epoch: epoch, sequence: sequence, revisions: revisions, lineage: lineage,
      screen: screen
    ) {
      for slot in instance.board.slots {
        if let value = slot.value { $0.member(slot.name, withFields(value, of: slot.index)) }
      }
      for text in texts { $0.member(text.name, suffix: ".field", .string(text.text)) }
    }
  }

  /// A list with what the fields of its rows hold.
  private func withFields(_ list: Value, of output: Int) -> Value {
    guard let rows, !rows.isEmpty, case .array = list else { return list }
    var list = list
    for row in rows.documents(of: output) { list.setField(row.text.text, at: row.places[...]) }
    return list
  }
}
