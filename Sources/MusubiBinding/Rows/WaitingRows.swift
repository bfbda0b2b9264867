// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiText

/// A list as its changes have left it while nobody looked: which rows are shown already, and which are to be encoded.
///
/// ```
/// shown   a b c d             order 0 1 2 3
/// insert x at 1, update d     order 0 4 1 2 5     changed 4: x   5: d′, which was 3
/// ```
final class WaitingRows<Row> {
  /// The rows by their numbers: the place of a shown one, and numbers from their count on for those that have changed.
  private(set) var order: [Int]
  /// The rows that have changed, and the places of what is shown of them.
  private(set) var changed: [Int: (row: Row, old: Int?)] = [:]
  /// All rows, if the list was told as a whole; nil if they are in `order`.
  private(set) var whole: [Row]?
  private var next: Int

  /// A list that is shown.
  ///
  /// - Parameter count: How many rows it has.
  init(shown count: Int) {
    order = Array(0..<count)
    next = count
  }

  /// How many rows the list has.
  var count: Int { whole?.count ?? order.count }

  /// About how many bytes of heap the list takes.
  var heapBytes: Int {
    if let whole { return HeapSize.estimate(whole) }
    let some = changed.values.prefix(16).map(\.row)
    let each = MemoryLayout<(key: Int, value: (row: Row, old: Int?))>.stride
    return HeapSize.array(order) + changed.capacity * each + HeapSize.estimate(some, of: changed.count)
  }

  /// Makes a change, whose places the list has.
  func take(_ change: RowChange<Row>) {
    if case .reset(let rows) = change {
      (whole, order, changed) = (rows, [], [:])
      return
    }
    if var rows = whole {
      whole = nil
      rows.apply(change)
      whole = rows
      return
    }
    switch change {
    case .reset: break
    case .insert(let row, let place): order.insert(add(row, insteadOf: nil), at: place)
    case .update(let row, let place):
      let number = order[place]
      order[place] = add(row, insteadOf: changed.removeValue(forKey: number).map(\.old) ?? number)
    case .remove(let place): changed[order.remove(at: place)] = nil
    case .move(let from, let place): order.insert(order.remove(at: from), at: place)
    }
  }

  private func add(_ row: Row, insteadOf old: Int?) -> Int {
    defer { next += 1 }
    changed[next] = (row, old)
    return next
  }

  /// A changed row cannot be shown: the old one stays, if there was one.
  func refuse(_ number: Int) {
    guard let place = order.firstIndex(of: number) else { return }
    if let old = changed.removeValue(forKey: number)?.old {
      order[place] = old
    } else {
      order.remove(at: place)
    }
  }

  /// All rows, those that have not changed from among those that were shown before.
  func rows(after old: [Row]) -> [Row] {
    whole ?? order.compactMap { changed[$0]?.row ?? old[$0] }
  }
}
