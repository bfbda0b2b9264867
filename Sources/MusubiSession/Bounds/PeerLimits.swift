// SPDX-License-Identifier: Apache-2.0

/// How much one identity may have of a server; an address may have `addressFactor` times as much, a /48 eight
/// times as much again.
package struct PeerLimits: Equatable, Sendable {
  /// Most open connections.
  package var connections = 256
  /// Most rooms, which belong to those whose session has made them.
  package var rooms = 1_000
  /// Most requests of which the program answers are waited for.
  package var requests = 32
  /// Most bytes that these requests bring.
  package var requestBytes = 4 << 20
  /// Most such requests of all peers together.
  package var allRequests = 1_024
  /// Most bytes that these bring.
  package var allRequestBytes = 64 << 20
  /// How many sessions may begin; nil for no limit.
  package var sessions: MessageRate? = MessageRate(perSecond: 20, burst: 200)

  /// How many times as much an address may have.
  package var addressFactor = 8

  package init() {}

  /// How many times the limits of an identity a peer has.
  package func width(of peer: Peer) -> Int { peer.width(addressFactor) }

  /// How many requests of a peer may be under way, and how many bytes they may bring: a large network leaves three quarters of
  /// what all may have to others.
  func requests(of peer: Peer) -> (count: Int, bytes: Int) {
    let width = width(of: peer)
    let (count, bytes) = (requests * width, requestBytes * width)
    guard case .network = peer else { return (count, bytes) }
    return (max(requests, min(count, allRequests / 4)), max(requestBytes, min(bytes, allRequestBytes / 4)))
  }

  /// A rate of an identity, as wide as a peer's limits.
  func rate(_ rate: MessageRate, of peer: Peer) -> MessageRate {
    let width = width(of: peer)
    return MessageRate(perSecond: rate.perSecond * width, burst: rate.burst * width)
  }
}

/// Why somebody gets no more.
package enum PeerRefusal: Error, Equatable, Sendable {
  /// Too many connections are open.
  case connections
  /// Too many sessions have begun; the next may in so many seconds.
  case sessions(seconds: Int)
  /// Too many rooms are there.
  case rooms
  /// Too many requests are under way.
  case requests
  /// Too many requests of everybody are under way.
  case busy

  /// A name for counters and logs.
  package var reason: String {
    switch self {
    case .connections: "too-many-connections"
    case .sessions: "too-many-sessions"
    case .rooms: "too-many-rooms"
    case .requests: "too-many-requests"
    case .busy: "too-many-requests-of-all"
    }
  }

  /// A sentence for people.
  package var message: String {
    switch self {
    case .connections: "Too many pages are open from here; close one."
    case .sessions: "Too many pages were opened from here in a short time; come back in a moment."
    case .rooms: "Too many rooms were opened from here; come back when some of them have ended."
    case .requests: "Too many requests from here are under way; try again in a moment."
    case .busy: "The server has many requests to answer; try again in a moment."
    }
  }

  /// When it may be worth while to come back, in seconds.
  package var retryAfter: Int {
    switch self {
    case .connections, .rooms, .busy: 10
    case .requests: 1
    case .sessions(let seconds): seconds
    }
  }
}
