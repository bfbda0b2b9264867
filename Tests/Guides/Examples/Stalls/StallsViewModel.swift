import MusubiRx

/// A market of thousands of stalls, of which one at a time changes its price.
final class StallsViewModel {
  /// One stall.
  struct Stall: Identifiable, Encodable {
    let id: Int
    var price: Int
  }

  struct Inputs: Decodable {
    var raise: Signal<Stall.ID> = .never()
    var close: Signal<Stall.ID> = .never()
  }

  struct Outputs: Encodable {
    let stalls: Driver<RowChange<Stall>>
  }

  private var stalls: [Stall]

  init(prices: [Int]) { stalls = prices.enumerated().map { Stall(id: $0.offset, price: $0.element) } }

  func bind(_ inputs: Inputs) -> Outputs {
    let changes = Signal.merge(
      inputs.raise.compactMap { [unowned self] id in raise(id) },
      inputs.close.compactMap { [unowned self] id in close(id) })
    let first = RowChange.reset(stalls)
    return Outputs(stalls: changes.asDriver(onErrorJustReturn: first).startWith(first))
  }

  private func raise(_ id: Stall.ID) -> RowChange<Stall>? {
    guard let place = stalls.firstIndex(where: { $0.id == id }) else { return nil }
    stalls[place].price += 1
    return .update(stalls[place], at: place)
  }

  private func close(_ id: Stall.ID) -> RowChange<Stall>? {
    guard let place = stalls.firstIndex(where: { $0.id == id }) else { return nil }
    stalls.remove(at: place)
    return .remove(at: place)
  }
}
