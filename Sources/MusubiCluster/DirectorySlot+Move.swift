// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import MusubiStorage

extension DirectorySlot {
  var move: SlotMove {
    SlotMove(
      generation: UInt32(truncatingIfNeeded: generation), lostSince: UInt32(truncatingIfNeeded: lostSince))
  }
}

extension LoadedSlot {
  var move: SlotMove {
    SlotMove(
      generation: UInt32(truncatingIfNeeded: fence.generation),
      lostSince: UInt32(truncatingIfNeeded: lostSince))
  }
}
