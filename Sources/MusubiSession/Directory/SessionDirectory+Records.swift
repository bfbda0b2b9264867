// SPDX-License-Identifier: Apache-2.0

/// The store's budget: what ends when its files would grow above it.
extension SessionDirectory {
  /// A record that nobody shows.
  private struct Unshown {
    let made: Double
    let end: () -> Void
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
    var stocks = unshownRecords()
    for peer in stocks.keys { stocks[peer]?.sort { $0.made < $1.made } }
    let target = budget.limit - budget.limit / 8
    var count = 0
    while count < Self.stride, budget.total > target {
      let heaviest = stocks.filter { !$0.value.isEmpty }.max {
        (budget.peers[$0.key] ?? 0, $1.key) < (budget.peers[$1.key] ?? 0, $0.key)
      }
      guard let heaviest else { break }
      // As long as nobody else has more.
      let next =
        stocks.filter { $0.key != heaviest.key && !$0.value.isEmpty }
        .map { budget.peers[$0.key] ?? 0 }.max() ?? 0
      repeat {
        stocks[heaviest.key]?.popLast()?.end()
        count += 1
      } while count < Self.stride && budget.total > target && stocks[heaviest.key]?.isEmpty == false
        && (budget.peers[heaviest.key] ?? 0) >= next
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
  private func unshownRecords() -> [String: [Unshown]] {
    var stocks: [String: [Unshown]] = [:]
    func add(_ label: RecordLabel, _ end: @escaping () -> Void) {
      stocks[label.peer ?? "", default: []].append(Unshown(made: label.made, end: end))
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
    return stocks
  }
}
