// SPDX-License-Identifier: Apache-2.0

/// The work of a loop since it started.
package struct LoopStatistics: Sendable, Equatable {
  /// WebSockets that have opened and closed.
  package var opened = 0
  package var closed = 0
  /// Plain requests answered.
  package var requests = 0
  /// Whole messages received.
  package var messagesReceived = 0
  /// How often a connection was not read from for a while, because its address sent too much.
  package var throttled = 0
  /// Bytes of frames handed to the library.
  package var bytesSent = 0
  /// The most sockets that one iteration has accepted.
  package var mostAccepted = 0
  /// The longest time between an event's arrival and the end of its iteration.
  package var longestIteration: Duration = .zero
  /// The longest since somebody took it.
  package var longestLately: Duration = .zero

  package init() {}
}
