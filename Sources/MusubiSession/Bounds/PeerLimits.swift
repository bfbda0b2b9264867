// SPDX-License-Identifier: Apache-2.0

/// How much one identity may have of a server; an address may have eight times as much, a /48 64 times.
package struct PeerLimits: Equatable, Sendable {
  /// Most open connections.
  package var connections = 256
  /// Most rooms, which belong to those whose session has made them.
  package var rooms = 1_000
  /// How many sessions may begin; nil for no limit.
  package var sessions: MessageRate? = MessageRate(perSecond: 20, burst: 200)

  package init() {}
}

extension Peer {
  /// How many times the limits of an identity it has.
  package var width: Int {
    switch self {
    case .identity: 1
    case .address: 8
    case .network: 64
    }
  }
}

/// Why somebody gets no more.
package enum PeerRefusal: Equatable, Sendable {
  /// Too many connections are open.
  case connections
  /// Too many sessions have begun; the next may in so many seconds.
  case sessions(seconds: Int)
  /// Too many rooms are there.
  case rooms

  /// A name for counters and logs.
  package var reason: String {
    switch self {
    case .connections: "too-many-connections"
    case .sessions: "too-many-sessions"
    case .rooms: "too-many-rooms"
    }
  }

  /// A sentence for people.
  package var message: String {
    switch self {
    case .connections: "Too many pages are open from here; close one."
    case .sessions: "Too many pages were opened from here in a short time; come back in a moment."
    case .rooms: "Too many rooms were opened from here; come back when some of them have ended."
    }
  }

  /// When it may be worth while to come back, in seconds.
  package var retryAfter: Int {
    switch self {
    case .connections, .rooms: 10
    case .sessions(let seconds): seconds
    }
  }
}
