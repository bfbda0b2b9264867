// SPDX-License-Identifier: Apache-2.0
package import MusubiServer

/// A server's state at a moment; `/metrics` and the status screen tell it.
///
/// All counts grow from the server's start, and all times are in seconds. Loops give their parts at slightly different
/// moments.
package struct ServerReport: Equatable, Sendable {
  /// Wall-clock time of the report, in seconds since 1970.
  package var time = 0.0
  /// Wall-clock time of the server's start, in seconds since 1970.
  package var started = 0.0
  /// The loops, in the order of their indices.
  package var loops: [Loop] = []
  /// The screens, by name.
  package var screens: [Screen] = []
  /// The rooms with the most turns since the report before, the busiest first; at most 10.
  package var busiestRooms: [Room] = []
  /// Peers that have more than half of something that they may have, the nearest to its limit first; at most 20.
  package var peers: [PeerShare] = []
  /// The refusals, by reason.
  package var refusals: [String: Int] = [:]
  /// The newest refusals that the log told of, the newest first; at most 20.
  package var newestRefusals: [Refusal] = []
  /// The process's resident memory, and what it may take, in bytes.
  package var residentBytes = 0
  package var maxResidentBytes = 0
  /// The store's bytes on disk, and how many it may take; nil without a store.
  package var storedBytes: Int?
  package var maxStoredBytes: Int?
  /// Whether the store fails at the moment.
  package var storeFails = false
  /// Whether the server is about to stop: it sends its pages away, and takes no new ones.
  package var isDraining = false
  /// What it has as one of several servers; nil if it is alone.
  package var node: NodeReport?
  /// How many seconds ago that one has told the directory last that it lives; nil if it never has.
  package var heartbeatAge: Double?

  package init() {}

  /// An event loop.
  package struct Loop: Equatable, Sendable {
    package var index = 0
    package var connections = 0
    package var connectionsOpened = 0
    package var requests = 0
    package var messages = 0
    package var bytesSent = 0
    /// Sessions whose page is connected, and those that wait for it.
    package var connectedSessions = 0
    package var waitingSessions = 0
    /// Records of the store that nobody has asked for.
    package var storedSessions = 0
    /// The bytes that its sessions and rooms take, as they are counted, and how many they may take; nil for no limit.
    package var bytes = 0
    package var maxBytes: Int?
    /// How long the newest question to the loop waited for its answer.
    package var lag = 0.0
    /// The longest iteration since the report before.
    package var longestIteration = 0.0
    /// How long commits took until they were safe.
    package var commits = Histogram()
    /// How often the store took nothing of a slot, because it is not this server's any more.
    package var refusedSlots = 0

    package init() {}
  }

  /// All that the rooms of a screen did.
  package struct Screen: Equatable, Sendable {
    package var name = ""
    package var rooms = 0
    package var pages = 0
    package var turns = 0
    package var inputs = 0
    /// How long a room's code ran for one event; one of 64 is measured.
    package var turnTime = Histogram()
    /// From an input's arrival to the end of the iteration that handed its turn to the pages at the head; one of 64 is
    /// measured.
    package var handOver = Histogram()

    package init() {}
  }

  /// A room that is busy.
  package struct Room: Equatable, Sendable {
    package var screen = ""
    /// Its name; empty for a session's own.
    package var name = ""
    package var loop = 0
    package var pages = 0
    package var bytes = 0
    package var turnsPerSecond = 0.0

    package init() {}
  }

  /// A peer, and what it has most of.
  package struct PeerShare: Equatable, Sendable {
    /// Its name for logs, such as `a:203.0.113.7`.
    package var peer = ""
    /// `connections`, `rooms` or `bytes`.
    package var kind = ""
    package var used = 0
    package var limit = 0

    package init() {}
  }

  /// Something that was refused.
  package struct Refusal: Equatable, Sendable {
    /// Wall-clock time, in seconds since 1970.
    package var time = 0.0
    package var reason = ""
    package var peer = ""
    /// How many there were since the one before of this kind.
    package var count = 0

    package init() {}
  }

  /// Durations by size.
  package struct Histogram: Equatable, Sendable {
    /// The upper bounds of the buckets, in seconds, in order; what is above the last counts in `count` alone.
    package var bounds: [Double] = []
    /// How many were in each bucket, not above its bound and above the one before.
    package var counts: [Int] = []
    /// How many there were, and their sum in seconds.
    package var count = 0
    package var sum = 0.0

    package init() {}
  }
}
