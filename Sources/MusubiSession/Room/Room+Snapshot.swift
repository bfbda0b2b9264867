// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

extension Room {
  /// The whole state at the newest turn.
  var snapshot: ServerFrame.Snapshot {
    var state = Value.Object()
    for slot in instance.board.slots {
      if let value = slot.value { state[slot.name] = value }
    }
    var revisions: [String: Int] = [:]
    for text in texts {
      state[text.name + ".field"] = .string(text.text)
      revisions[text.name] = text.revision
    }
    return ServerFrame.Snapshot(
      state: .object(state), epoch: epoch, sequence: sequence, revisions: revisions)
  }
}
