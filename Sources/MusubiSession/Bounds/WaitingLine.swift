// SPDX-License-Identifier: Apache-2.0

/// The sessions that wait for their pages, and which of them go when they are too many: those of the peer that has most,
/// first where the page has said good-bye or nothing was put in, then the newest.
///
/// Where peers have equally many, the one goes that has waited longest. Those of nobody are many visitors', so the oldest goes
/// first.
struct WaitingLine {
  private struct Entry {
    let id: String
    let stocks: [Stock]
    var hasGone = false
  }

  /// One peer's sessions; a network may have eight times as much.
  private final class Stock {
    /// The stocks are numbered in the order in which their first sessions were left.
    let number: Int
    let peer: Peer?
    var count = 0
    /// The places of its sessions in the line.
    var spare: [Int] = []
    var needed: [Int] = []

    init(_ number: Int, _ peer: Peer?) {
      self.number = number
      self.peer = peer
    }

    var weight: Int {
      if case .network = peer { return count / 8 }
      return count
    }
  }

  /// All that were added.
  private var entries: [Entry] = []
  private var stocks: [Peer?: Stock] = [:]

  /// Adds a session; the one that has waited longest is added first.
  ///
  /// - Parameters:
  ///   - id: Its name.
  ///   - peers: Whose it is.
  ///   - isNeeded: Whether its page may miss it: it was lost, and had put something in.
  mutating func add(_ id: String, of peers: [Peer], isNeeded: Bool) {
    let keys: [Peer?] = peers.isEmpty ? [nil] : peers
    let place = entries.count
    let entry = Entry(
      id: id,
      stocks: keys.map { peer in
        let stock = stocks[peer] ?? Stock(stocks.count, peer)
        stocks[peer] = stock
        return stock
      })
    entries.append(entry)
    for stock in entry.stocks {
      stock.count += 1
      if isNeeded { stock.needed.append(place) } else { stock.spare.append(place) }
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
        while stock.weight >= level, taken.count < count, let place = popNext(of: stock) {
          entries[place].hasGone = true
          for stock in entries[place].stocks { stock.count -= 1 }
          taken.append(entries[place].id)
        }
      }
      level -= 1
    }
    return taken
  }

  /// The place of the next one of a peer that has not gone with another peer.
  private func popNext(of stock: Stock) -> Int? {
    while let place = stock.spare.popLast() ?? stock.needed.popLast() {
      if !entries[place].hasGone { return place }
    }
    return nil
  }
}
