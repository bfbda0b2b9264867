// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Each peer's part of the server, on all of its loops together; may be used from any thread.
///
/// Whoever counts against several peers gets something only if all of them may have it.
package final class PeerLedger: Sendable {
  package let limits: PeerLimits
  /// The refusals, by reason.
  package let refusals = Refusals()
  private let book = Mutex(Book())

  /// A peer's counts.
  private struct Entry {
    var sockets = 0
    var connections = 0
    var rooms = 0
    /// The sessions that may begin.
    var sessions: TokenBucket
    /// The refusals that are answered; who wants more is cut off.
    var answers: TokenBucket

    var hasNothing: Bool { sockets == 0 && connections == 0 && rooms == 0 }
  }

  /// The requests whose answers the program makes.
  private struct Requests {
    var count = 0
    var bytes = 0
  }

  private struct Book {
    var entries: [Peer: Entry] = [:]
    /// Of those that have any.
    var requests: [Peer: Requests] = [:]
    var allRequests = Requests()
    /// With so many entries those that say nothing are looked for.
    var sweepCount = 1_024
  }

  package init(_ limits: PeerLimits = PeerLimits()) { self.limits = limits }

  // MARK: - Sockets

  /// Takes a place for a socket, before anything is read from it: twice as many as connections, so that those that are
  /// too many can be told why.
  ///
  /// - Returns: Whether there is one for all of the peers, and whether somebody listens to refusals.
  package func admitSocket(of peers: [Peer], at now: Duration) -> Bool {
    guard !peers.isEmpty else { return true }
    return book.withLock { book in
      for peer in peers {
        guard var entry = book.entries[peer] else { continue }
        guard entry.sockets < 2 * limits.connections * limits.width(of: peer) else { return false }
        guard limits.sessions.map({ entry.answers.has(limits.rate($0, of: peer), at: now) }) ?? true else {
          return false
        }
        book.entries[peer] = entry
      }
      for peer in peers { change(peer, &book, at: now) { $0.sockets += 1 } }
      return true
    }
  }

  /// Gives a socket's place back.
  package func releaseSocket(of peers: [Peer]) { give(peers) { $0.sockets -= 1 } }

  // MARK: - Connections and sessions

  /// Takes a place for a connection and for a session that begins, or says why there is none.
  ///
  /// The session of a page that comes back is given back by `returnSession`.
  package func admit(_ peers: [Peer], at now: Duration) -> PeerRefusal? {
    guard !peers.isEmpty else { return nil }
    return book.withLock { book in
      if let refusal = refusal(of: peers, &book, at: now) { return refusal }
      for peer in peers {
        change(peer, &book, at: now) {
          $0.connections += 1
          if let rate = limits.sessions { _ = $0.sessions.admit(limits.rate(rate, of: peer), at: now) }
        }
      }
      return nil
    }
  }

  /// The answer of `admit`, without taking anything.
  package func refusal(of peers: [Peer], at now: Duration) -> PeerRefusal? {
    guard !peers.isEmpty else { return nil }
    return book.withLock { refusal(of: peers, &$0, at: now) }
  }

  private func refusal(of peers: [Peer], _ book: inout Book, at now: Duration) -> PeerRefusal? {
    for peer in peers {
      guard var entry = book.entries[peer] else { continue }
      if entry.connections >= limits.connections * limits.width(of: peer) { return .connections }
      guard let rate = limits.sessions.map({ limits.rate($0, of: peer) }), !entry.sessions.has(rate, at: now)
      else { continue }
      return .sessions(seconds: max(1, entry.sessions.secondsUntilOne(rate)))
    }
    return nil
  }

  /// Gives a connection's place back.
  package func releaseConnection(of peers: [Peer]) { give(peers) { $0.connections -= 1 } }

  /// A page has come back to its session: none has begun.
  package func returnSession(of peers: [Peer]) {
    guard let rate = limits.sessions else { return }
    give(peers) { $0.sessions.giveBack(limits.rate(rate, of: $1)) }
  }

  /// Whether a refusal is answered; else the socket is closed without a word.
  package func answers(_ peers: [Peer], at now: Duration) -> Bool {
    guard let rate = limits.sessions, !peers.isEmpty else { return true }
    return book.withLock { book in
      var answers = true
      for peer in peers {
        change(peer, &book, at: now) {
          answers = $0.answers.admit(limits.rate(rate, of: peer), at: now) && answers
        }
      }
      return answers
    }
  }

  /// Whether a refusal would be answered, without taking anything.
  package func hears(_ peers: [Peer], at now: Duration) -> Bool {
    guard let rate = limits.sessions else { return true }
    return book.withLock { book in
      peers.allSatisfy { peer in
        guard var entry = book.entries[peer] else { return true }
        return entry.answers.has(limits.rate(rate, of: peer), at: now)
      }
    }
  }

  // MARK: - Rooms

  /// Takes a place for a room.
  ///
  /// - Returns: Whether there was one for all of the peers.
  package func takeRoom(for peers: [Peer], at now: Duration) -> Bool {
    guard !peers.isEmpty else { return true }
    return book.withLock { book in
      guard hasRoom(for: peers, book) else { return false }
      for peer in peers { change(peer, &book, at: now) { $0.rooms += 1 } }
      return true
    }
  }

  /// Counts a room that is there already, whatever the limit is.
  package func addRoom(of peers: [Peer], at now: Duration) {
    guard !peers.isEmpty else { return }
    book.withLock { book in
      for peer in peers { change(peer, &book, at: now) { $0.rooms += 1 } }
    }
  }

  /// Whether there is a place for one more room.
  package func hasRoom(for peers: [Peer]) -> Bool {
    peers.isEmpty || book.withLock { hasRoom(for: peers, $0) }
  }

  private func hasRoom(for peers: [Peer], _ book: Book) -> Bool {
    peers.allSatisfy { (book.entries[$0]?.rooms ?? 0) < limits.rooms * limits.width(of: $0) }
  }

  /// Gives a room's place back.
  package func releaseRoom(of peers: [Peer]) { give(peers) { $0.rooms -= 1 } }

  // MARK: - Requests that the program answers

  /// Takes a place for a request and the bytes that it brings, or says why there is none.
  package func admitRequest(of peers: [Peer], bytes: Int) -> PeerRefusal? {
    book.withLock { book in
      guard book.allRequests.count < limits.allRequests,
        book.allRequests.bytes + bytes <= limits.allRequestBytes
      else { return .busy }
      guard take(bytes, of: peers, &book) else { return .requests }
      book.allRequests.count += 1
      book.allRequests.bytes += bytes
      return nil
    }
  }

  /// Counts a request that is under way against one more peer, who is known by now, or says why it may not go on.
  package func joinRequest(_ peer: Peer, bytes: Int) -> PeerRefusal? {
    book.withLock { take(bytes, of: [peer], &$0) ? nil : .requests }
  }

  private func take(_ bytes: Int, of peers: [Peer], _ book: inout Book) -> Bool {
    for peer in peers {
      let requests = book.requests[peer] ?? Requests()
      let most = limits.requests(of: peer)
      guard requests.count < most.count, requests.bytes + bytes <= most.bytes else { return false }
    }
    for peer in peers {
      book.requests[peer, default: Requests()].count += 1
      book.requests[peer, default: Requests()].bytes += bytes
    }
    return true
  }

  /// Gives a request's place back.
  package func releaseRequest(of peers: [Peer], bytes: Int) {
    book.withLock { book in
      book.allRequests.count -= 1
      book.allRequests.bytes -= bytes
      for peer in peers {
        guard var requests = book.requests[peer] else { continue }
        requests.count -= 1
        requests.bytes -= bytes
        book.requests[peer] = requests.count == 0 ? nil : requests
      }
    }
  }

  // MARK: - Reports

  /// The peers that have more than half of the connections or rooms that they may have; looks at all that are known.
  package var nearLimits: [PeerShare] {
    book.withLock { book in
      book.entries.flatMap { peer, entry in
        [
          PeerShare(
            peer: peer, kind: "connections", used: entry.connections,
            limit: limits.connections * limits.width(of: peer)),
          PeerShare(
            peer: peer, kind: "rooms", used: entry.rooms, limit: limits.rooms * limits.width(of: peer)),
        ].filter { $0.used > $0.limit / 2 }
      }
    }
  }

  // MARK: - Entries

  /// How many peers are known, for tests.
  package var count: Int { book.withLock { $0.entries.count } }

  private func change(
    _ peer: Peer, _ book: inout Book, at now: Duration, _ body: (inout Entry) -> Void
  ) {
    var entry = book.entries[peer] ?? makeEntry(of: peer, &book, at: now)
    body(&entry)
    book.entries[peer] = entry
  }

  private func give(_ peers: [Peer], _ body: (inout Entry, Peer) -> Void) {
    guard !peers.isEmpty else { return }
    book.withLock { book in
      for peer in peers {
        guard var entry = book.entries[peer] else { continue }
        body(&entry, peer)
        book.entries[peer] = entry
      }
    }
  }

  private func give(_ peers: [Peer], _ body: (inout Entry) -> Void) {
    give(peers) { entry, _ in body(&entry) }
  }

  private func makeEntry(of peer: Peer, _ book: inout Book, at now: Duration) -> Entry {
    if book.entries.count >= book.sweepCount {
      book.entries = book.entries.filter { peer, entry in !saysNothing(entry, peer, at: now) }
      // Half as many are new ones, so that looking through all of them costs a few steps for each.
      book.sweepCount = 1_024 + 2 * book.entries.count
    }
    let rate = limits.rate(limits.sessions ?? MessageRate(perSecond: 1, burst: 1), of: peer)
    let bucket = TokenBucket(rate, at: now)
    return Entry(sessions: bucket, answers: bucket)
  }

  /// Whether a new entry would say the same.
  private func saysNothing(_ entry: Entry, _ peer: Peer, at now: Duration) -> Bool {
    guard entry.hasNothing else { return false }
    guard let rate = limits.sessions.map({ limits.rate($0, of: peer) }) else { return true }
    return entry.sessions.isFull(rate, at: now) && entry.answers.isFull(rate, at: now)
  }
}

/// A peer's part of something.
package struct PeerShare: Sendable {
  package let peer: Peer
  /// `connections`, `rooms`, `bytes` or `stored`, which are bytes as well.
  package let kind: String
  package let used: Int
  package let limit: Int
}
