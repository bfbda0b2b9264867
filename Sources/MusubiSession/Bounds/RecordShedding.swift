// SPDX-License-Identifier: Apache-2.0

/// Ends records when they take more of the store than they may: of the peer that has most first those that hardly anybody
/// misses, then the newest that nobody shows.
///
/// Records above a peer's own share go first of all. If that is far from enough, its newest pages are closed, one at a
/// time. It runs at the end of an iteration, some records at a time, so that it keeps nobody waiting.
final class RecordShedding {
  private unowned let sessions: SessionDirectory
  private let ledger: MemoryLedger
  private var plan: FreeingPlan<RecordStock>?
  /// When it looks again for those that were refused: a look goes through the whole index.
  private var next = Duration.zero
  /// How many records have ended since the log was told.
  private var count = 0

  /// The most records that end in one iteration.
  private static let stride = 256
  /// How long refusals wait for a look at least; also as many times as long as a look takes.
  private static let (pause, factor) = (Duration.milliseconds(100), 10)

  init(_ sessions: SessionDirectory) {
    self.sessions = sessions
    ledger = sessions.committer.budget.ledger
  }

  /// When there is more to do; the beginning of time stands for the next iteration.
  ///
  /// What has come from another server may be too much for this one: first its pages get the time to come back.
  var nextDeadline: Duration? {
    let isDue = plan != nil || ledger.isExceeded
    return isDue || ledger.isWanted ? max(sessions.unlimited, isDue ? .zero : next) : nil
  }

  /// The end of an iteration.
  func run() {
    var plan = self.plan ?? makePlan()
    let before = count
    while count < before + Self.stride, let record = plan.next() {
      record.letGo()
      count += 1
    }
    guard count < before + Self.stride else {
      self.plan = plan
      return
    }
    self.plan = nil
    // The end of a session may leave a room that nobody shows.
    ledger.settle(looksAgain: (count > 0 && plan.isShort) || closePage(of: plan.crowded))
    if count > 0 { sessions.environment.observe?(.recordsEnded(count: count, bytes: ledger.total)) }
    count = 0
  }

  private func makePlan() -> FreeingPlan<RecordStock> {
    let begun = sessions.environment.clock()
    let (ledger, target) = (ledger, ledger.total > ledger.limit ? ledger.limit - ledger.limit / 8 : .max)
    let plan = FreeingPlan(of: ledger.beginLook(), sessions.unshownRecords) { ledger.total > target }
    let now = sessions.environment.clock()
    next = now + max(Self.pause, (now - begun) * Self.factor)
    return plan
  }

  /// Closes the newest page of a peer whose records take an eighth more than its share, although nobody shows the rest.
  ///
  /// - Returns: Whether there was one; the next look ends what it has left.
  private func closePage(of crowded: [Account]) -> Bool {
    for account in crowded where account.bytes - account.maxBytes > account.maxBytes / 8 {
      guard let peer = account.peer else { continue }
      let pages = sessions.all.filter { $0.visit != nil && $0.label?.peers.contains(peer) == true }
      guard let newest = pages.max(by: { $0.number < $1.number }) else { continue }
      sessions.turnAway(newest)
      return true
    }
    return false
  }
}

/// A record that nobody shows.
private final class UnshownRecord {
  /// Whether somebody may miss it: an empty room, or what was put in by a page that was lost.
  let isNeeded: Bool
  /// Since when nobody shows it, in seconds since 1970.
  let since: Double
  let made: Double
  /// Ends it; nil once it has ended.
  private var end: (() -> Void)?

  init(isNeeded: Bool, since: Double, made: Double, _ end: @escaping () -> Void) {
    self.isNeeded = isNeeded
    self.since = since
    self.made = made
    self.end = end
  }

  var hasEnded: Bool { end == nil }

  func letGo() {
    end?()
    end = nil
  }
}

/// The records of one peer.
private final class RecordStock: PeerStock {
  let account: Account
  var records: [UnshownRecord] = []
  private var isSorted = false

  init(_ account: Account) { self.account = account }

  func popNext() -> UnshownRecord? {
    if !isSorted {
      records.sort { ($0.isNeeded ? 0 : 1, $0.since, $0.made) < ($1.isNeeded ? 0 : 1, $1.since, $1.made) }
      isSorted = true
    }
    while let newest = records.popLast() {
      // It may have gone with another of its peers.
      if !newest.hasEnded { return newest }
    }
    return nil
  }
}

extension SessionDirectory {
  /// The records that nobody shows, by their peers: sessions that wait for their pages, and empty shared rooms.
  ///
  /// Pages that were there when the process ended come back soon: theirs are the last to go.
  fileprivate var unshownRecords: some Sequence<RecordStock> {
    var stocks: [ObjectIdentifier: RecordStock] = [:]
    func add(_ label: RecordLabel, isNeeded: Bool, since: Double?, _ end: @escaping () -> Void) {
      let record = UnshownRecord(isNeeded: isNeeded, since: since ?? 0, made: label.made, end)
      for account in committer.budget.owner(of: label)?.accounts ?? [] {
        let stock = stocks[ObjectIdentifier(account)] ?? RecordStock(account)
        stocks[ObjectIdentifier(account)] = stock
        stock.records.append(record)
      }
    }
    for session in all where session.isStored {
      guard let label = session.label, let since = session.waitingSince else { continue }
      let isNeeded = session.isUsed && !session.saidFarewell
      add(label, isNeeded: isNeeded, since: environment.wallTime(of: since)) { [self] in
        _ = letGo(session, since: since)
      }
    }
    for (id, entry) in rooms.stored.sessions {
      add(entry.label, isNeeded: entry.isUsed, since: entry.left) { [self] in forgetStored(id) }
    }
    for room in rooms.all where !room.key.isPrivate {
      guard let label = room.keeping?.label, let since = room.emptySince else { continue }
      add(label, isNeeded: true, since: environment.wallTime(of: since)) { [rooms] in
        _ = rooms.letGo(room, since: since)
      }
    }
    for (key, entry) in rooms.stored.rooms where !key.isPrivate && rooms.stored.isAbandoned(key) {
      let since = entry.since.map(environment.wallTime) ?? entry.left
      add(entry.label, isNeeded: true, since: since) { [rooms] in rooms.forgetStored(key) }
    }
    return stocks.values
  }
}
