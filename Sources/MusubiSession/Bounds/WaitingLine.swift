// SPDX-License-Identifier: Apache-2.0

/// The sessions that wait for their pages, and which of them go when they are too many: those of the peer that has most,
/// first where the page has said good-bye or nothing was put in, then the newest.
///
/// Where peers have equally many, the one goes that has waited longest. Those of nobody are many visitors', so the oldest goes
/// first.
struct WaitingLine {
  private final class Entry {
    let id: String
    let stocks: [Stock]
    var hasGone = false

    init(_ id: String, _ stocks: [Stock]) {
      self.id = id
      self.stocks = stocks
    }
  }

  /// What one peer has; a network may have eight times as much.
  private final class Stock {
    /// The stocks are numbered in the order in which their first sessions were left.
    let number: Int
    let peer: Peer?
    var count = 0
    var spare: [Entry] = []
    var needed: [Entry] = []

    init(_ number: Int, _ peer: Peer?) {
      self.number = number
      self.peer = peer
    }

    var weight: Int {
      if case .network = peer { return count / 8 }
      return count
    }

    func popNext() -> Entry? {
      while let entry = spare.popLast() ?? needed.popLast() {
        if !entry.hasGone { return entry }
      }
      return nil
    }
  }

  private var stocks: [Peer?: Stock] = [:]

  /// Adds a session; the one that has waited longest is added first.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - peers: Whose it is.
  ///   - isNeeded: Whether its page may miss it: it was lost, and had put something in.
  mutating func add(_ id: String, of peers: [Peer], isNeeded: Bool) {
    let keys: [Peer?] = peers.isEmpty ? [nil] : peers
    let entry = Entry(
      id,
      keys.map { peer in
        let stock = stocks[peer] ?? Stock(stocks.count, peer)
        stocks[peer] = stock
        return stock
      })
    for stock in entry.stocks {
      stock.count += 1
      if isNeeded { stock.needed.append(entry) } else { stock.spare.append(entry) }
    }
  }

  /// Takes out those that go.
  ///
  /// - Parameter count: How many; at most as many as there are.
  /// - Returns: Their names.
  mutating func take(_ count: Int) -> [String] {
    var taken: [String] = []
    stocks[nil]?.spare.reverse()
    stocks[nil]?.needed.reverse()
    let heaviest = stocks.values.map { ($0, weight: $0.weight) }
      .sorted { ($0.weight, $1.0.number) > ($1.weight, $0.0.number) }
    var level = heaviest.first?.weight ?? 0
    // All that have as much give one, then those that have as much as these have left.
    while taken.count < count, level > 0 {
      for (stock, weight) in heaviest {
        guard weight >= level, taken.count < count else { break }
        while stock.weight >= level, taken.count < count, let entry = stock.popNext() {
          entry.hasGone = true
          for stock in entry.stocks { stock.count -= 1 }
          taken.append(entry.id)
        }
      }
      level -= 1
    }
    return taken
  }
}
