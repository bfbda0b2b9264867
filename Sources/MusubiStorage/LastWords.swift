// SPDX-License-Identifier: Apache-2.0
import CTraps

/// What a process that traps writes to its end, for at most half a second; if it notes traps at all (`RunRecord`).
package enum LastWords {
  /// Something is given to another thread, which writes it.
  package static func begin() { musubi_traps_under_way(1) }

  /// So many of those are written.
  package static func end(_ count: Int) { musubi_traps_under_way(Int32(-count)) }
}
