// SPDX-License-Identifier: Apache-2.0

/// One peer's things that may go.
protocol PeerStock: AnyObject {
  associatedtype Thing
  /// Who holds it.
  var account: Account { get }
  /// Takes out what goes first, the newest; nil if nothing is left.
  func popNext() -> Thing?
}

/// The order in which peers give: whoever holds most, down to a level that falls as long as that is not enough.
///
/// A thing of several peers is in the stock of each, and goes with the first of them that has to give.
struct HeaviestFirst<Stock: PeerStock> {
  /// The stocks, and what their accounts held at the beginning; the heaviest first.
  private let stocks: [(stock: Stock, weight: Int)]
  /// Peers that hold more than that have to give.
  private var level: Int
  private var index = 0

  init(_ stocks: some Sequence<Stock>) {
    self.stocks = stocks.map { ($0, $0.account.weight) }.sorted { $0.weight > $1.weight }
    level = self.stocks.first?.weight ?? 0
  }

  /// The next thing to go; nil if nothing is left.
  mutating func next() -> Stock.Thing? {
    while true {
      guard index < stocks.count, stocks[index].weight > level else {
        // Everybody has given down to the level.
        guard level > 0 else { return nil }
        level = level < Self.leastLevel ? 0 : level - level / 16
        index = 0
        continue
      }
      if stocks[index].stock.account.weight > level, let thing = stocks[index].stock.popNext() {
        return thing
      }
      index += 1
    }
  }

  /// Gives from one account alone.
  func next(of account: Account) -> Stock.Thing? {
    stocks.first { $0.stock.account === account }?.stock.popNext()
  }

  /// Peers that hold less are all alike.
  private static var leastLevel: Int { 4_096 }
}

/// The things that go, one after the other: of the peers above their own limits until each is an eighth below its own, then of
/// whoever holds most as long as all is too much.
struct FreeingPlan<Stock: PeerStock> {
  /// The peers above their own limits when the plan was made, or that were refused because of them.
  let crowded: [Account]
  private var stocks: HeaviestFirst<Stock>
  private let isTooMuch: () -> Bool
  private var crowdedIndex = 0

  /// A plan.
  ///
  /// - Parameters:
  ///   - crowded: The peers that have to give, or want to have something.
  ///   - stocks: What each peer has.
  ///   - isTooMuch: Whether something has to go, whosever it is.
  init(of crowded: [Account], _ stocks: some Sequence<Stock>, isTooMuch: @escaping () -> Bool) {
    self.crowded = crowded
    self.stocks = HeaviestFirst(stocks)
    self.isTooMuch = isTooMuch
  }

  /// Whether not enough has gone.
  var isShort: Bool { isTooMuch() || crowded.contains { $0.bytes > $0.maxBytes } }

  /// The next thing to go; nil if enough has gone, or nothing is left.
  mutating func next() -> Stock.Thing? {
    while crowdedIndex < crowded.count {
      let account = crowded[crowdedIndex]
      if account.bytes > account.maxBytes - account.maxBytes / 8, let thing = stocks.next(of: account) {
        return thing
      }
      crowdedIndex += 1
    }
    return isTooMuch() ? stocks.next() : nil
  }
}
