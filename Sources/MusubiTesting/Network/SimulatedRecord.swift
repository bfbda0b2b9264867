// SPDX-License-Identifier: Apache-2.0
package import MusubiSession

/// The events that the simulated server's loops run at the moment, and the one that has ended it.
package final class SimulatedRecord: EventRecord {
  private var current: Trap?
  /// The events that have ended the server since it was started.
  package private(set) var traps: [Trap] = []

  /// The signal of a Swift trap on this machine's processors (SIGILL).
  private static let signal: Int32 = 4

  package func begin(_ kind: EventKind, room: UInt64, session: String, number: Int, record: UInt32) {
    current = Trap(kind: kind, room: room, session: session, number: number, signal: Self.signal)
  }

  package func end() { current = nil }

  /// What runs ends the server.
  func trap() { if let current, traps.isEmpty { traps.append(current) } }

  /// The next server has read it.
  func clear() { (current, traps) = (nil, []) }
}
