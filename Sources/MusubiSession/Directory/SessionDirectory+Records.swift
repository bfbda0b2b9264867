// SPDX-License-Identifier: Apache-2.0

/// The store's budget: what ends when its files would grow above it.
extension SessionDirectory {
  /// A record that nobody shows.
  private final class Unshown {
    let made: Double
    /// Ends it; nil once it has ended.
    private var end: (() -> Void)?

    init(_ made: Double, _ end: @escaping () -> Void) {
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
  private final class Stock: PeerStock {
    let account: Account
    var records: [Unshown] = []
    private var isSorted = false

    init(_ account: Account) { self.account = account }

    func popNext() -> Unshown? {
      if !isSorted { records.sort { $0.made < $1.made } }
      isSorted = true
      while let newest = records.popLast() {
        // It may have gone with another of its peers.
        if !newest.hasEnded { return newest }
      }
      return nil
    }
  }

  /// So many records end in an iteration at the most, so that it keeps nobody waiting.
  private static let stride = 256

  /// Ends records that nobody shows until the budget is kept, with some to spare: of the peer that has most, the newest
  /// first.
  ///
  /// - Returns: How many have ended.
  @discardableResult
  func shedRecords() -> Int {
    let budget = committer.budget
    guard budget.isExceeded else { return 0 }
    var stocks = HeaviestFirst(unshownRecords())
    let target = budget.limit - budget.limit / 8
    var count = 0
    while count < Self.stride, budget.total > target, let record = stocks.next() {
      record.letGo()
      count += 1
    }
    // The end of a session may leave a room that nobody shows.
    if count == 0 {
      budget.settle()
    } else {
      environment.observe?(.recordsEnded(count: count, bytes: budget.total))
    }
    return count
  }

  /// The records that nobody shows, by their peers: sessions that wait for their pages, and empty shared rooms.
  private func unshownRecords() -> some Sequence<Stock> {
    var stocks: [ObjectIdentifier: Stock] = [:]
    func add(_ label: RecordLabel, _ end: @escaping () -> Void) {
      let record = Unshown(label.made, end)
      for account in committer.budget.owner(of: label)?.accounts ?? [] {
        let stock = stocks[ObjectIdentifier(account)] ?? Stock(account)
        stocks[ObjectIdentifier(account)] = stock
        stock.records.append(record)
      }
    }
    for session in all where session.isStored {
      if let label = session.label, let since = session.waitingSince {
        add(label) { [self] in _ = letGo(session, since: since) }
      }
    }
    for (id, entry) in rooms.stored.sessions { add(entry.label) { [self] in forgetStored(id) } }
    for room in rooms.all where !room.key.isPrivate {
      if let label = room.keeping?.label, let since = room.emptySince {
        add(label) { [rooms] in _ = rooms.letGo(room, since: since) }
      }
    }
    for (key, entry) in rooms.stored.rooms where !key.isPrivate && rooms.stored.isAbandoned(key) {
      add(entry.label) { [rooms] in rooms.forgetStored(key) }
    }
    return stocks.values
  }
}
