// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiWire

/// Writes the lists that an output shows; of each, only what differs from the one before is encoded.
///
/// Equatable rows are compared: an equal row counts as unchanged. Others are encoded, and compared as values
/// of the wire meanwhile. Both leave the beginning and the end that two lists have in common alone.
///
/// ```
/// old  a b c d e        rows         c′ replaces c
/// new  a b c′d e        the slot     replaceElements(2..<3, with: [c′])
/// ```
final class RowsOutput<Row: Encodable> {
  private let slot: OutputSlot
  private let comparison = RowComparison<Row>()
  private let encoder = RowEncoder()
  /// The elements of which the slot's values were made; nil if it was not told as a whole.
  private var rows: [Row]?
  /// The newest list while nobody looks; nil if it is shown.
  private var waiting: WaitingRows<Row>?

  init(_ slot: OutputSlot) { self.slot = slot }

  /// The values that the slot holds.
  private var values: [Value] { slot.value?.arrayValue ?? [] }

  // MARK: - The whole list

  /// Shows a list.
  ///
  /// - Throws: `ValueEncodingError`; the output is unchanged then.
  func show(_ new: [Row]) throws {
    guard let old = rows, slot.value != nil else {
      let values = values
      slot.write(
        .array(
          try new.indices.map { index in
            try encoder.encode(new[index], at: index, like: index < values.count ? values[index] : nil)
          }))
      rows = new
      return
    }
    let (start, ending) = try common(old, new)
    if start < old.count - ending || start < new.count - ending {
      let (before, after) = (start..<old.count - ending, start..<new.count - ending)
      slot.replaceElements(before, with: try middle(old, before, new, after))
    }
    rows = new
  }

  /// How many rows at the beginning and at the end have not changed.
  private func common(_ old: [Row], _ new: [Row]) throws -> (start: Int, ending: Int) {
    let shorter = min(old.count, new.count)
    if let comparison {
      let start = comparison.common(old, new, fromEnd: false, atMost: shorter)
      return (start, comparison.common(old, new, fromEnd: true, atMost: shorter - start))
    }
    let values = values
    func isSame(_ place: Int, _ index: Int) throws -> Bool {
      try encoder.encode(new[index], at: index, like: values[place]) == values[place]
    }
    var start = 0
    while start < shorter, try isSame(start, start) { start += 1 }
    var ending = 0
    while ending < shorter - start, try isSame(old.count - 1 - ending, new.count - 1 - ending) { ending += 1 }
    return (start, ending)
  }

  /// The values of the rows between the common beginning and end.
  private func middle(_ old: [Row], _ before: Range<Int>, _ new: [Row], _ after: Range<Int>) throws -> [Value]
  {
    let values = values
    var result: [Value] = []
    result.reserveCapacity(after.count)
    /// Where the next old row is looked for: behind the last one found, as if others were added or changed since.
    var place = before.lowerBound
    var missed = 0
    for index in after {
      let candidates = [place, place + missed, place + missed + 1]
      if let comparison,
        let found = candidates.first(where: { before.contains($0) && comparison.isSame(old[$0], new[index]) })
      {
        result.append(values[found])
        (place, missed) = (found + 1, 0)
        continue
      }
      let likely = min(place + missed, before.upperBound - 1)
      let like = before.contains(likely) ? values[likely] : nil
      result.append(try encoder.encode(new[index], at: index, like: like))
      missed += 1
    }
    return result
  }

  // MARK: - One row

  /// Shows a change of the list; one that does not fit it changes nothing.
  ///
  /// - Throws: `ValueEncodingError`; `RowChangeError` if there is no such place. The output is unchanged
  ///   then.
  func take(_ change: RowChange<Row>) throws {
    if case .reset(let rows) = change { return try show(rows) }
    if slot.value == nil { slot.write([]) }
    let count = slot.elementCount
    guard change.fits(count: count) else { throw RowChangeError(change.places, count: count) }
    switch change {
    case .reset: break
    case .insert(let row, let place):
      slot.replaceElements(place..<place, with: [try encoder.encode(row, at: place, like: nil)])
    case .update(let row, let place):
      let old = slot.element(place)
      let value = try encoder.encode(row, at: place, like: old)
      if value != old { slot.replaceElements(place..<place + 1, with: [value]) }
    case .remove(let place):
      slot.replaceElements(place..<place + 1, with: [])
    case .move(let from, let place):
      let values = values[min(from, place)...max(from, place)]
      let rest = from < place ? values.dropFirst() : values.dropLast()
      let moved = from < place ? rest + values.prefix(1) : values.suffix(1) + rest
      slot.replaceElements(values.startIndex..<values.endIndex, with: Array(moved))
    }
    rows = nil
  }

  // MARK: - While nobody looks

  /// Whether nobody looks, so that changes are to be handed to `wait`.
  var isResting: Bool { slot.board?.isResting == true }

  /// Makes a change of the list, and encodes its rows when somebody looks; `isResting` is true.
  ///
  /// A row that refuses to be encoded then keeps its old value, or is left out, and the log tells.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - shown: Is told then which rows are shown; nil if they are those of before.
  /// - Throws: `RowChangeError` if there is no such place; nothing has changed then.
  func wait(for change: RowChange<Row>, _ shown: ((WaitingRows<Row>?) -> Void)? = nil) throws {
    let list = waiting ?? WaitingRows(shown: slot.elementCount)
    guard change.fits(count: list.count) else { throw RowChangeError(change.places, count: list.count) }
    list.take(change)
    waiting = list
    // Who is told the rows keeps a list of its own.
    let ownStride = shown == nil ? 0 : MemoryLayout<Row>.stride
    slot.board?.postponeWrite(
      of: slot.index, weighing: list.heapBytes + list.count * ownStride
    ) { [self] board in
      waiting = nil
      do {
        if let rows = list.whole { try show(rows) } else { showChanges(of: list, board) }
        shown?(list)
      } catch {
        board.report("the output \"\(slot.name)\" keeps its old rows: \(error)")
        shown?(nil)
      }
    }
  }

  /// Shows the rows that have changed, come, gone or moved.
  private func showChanges(of list: WaitingRows<Row>, _ board: OutputBoard) {
    if slot.value == nil { slot.write([]) }
    let values = values
    var changed: [Int: Value] = [:]
    for (place, number) in list.order.enumerated() {
      guard let (row, old) = list.changed[number] else { continue }
      do {
        changed[number] = try encoder.encode(row, at: place, like: old.map { values[$0] })
      } catch {
        list.refuse(number)
        board.report("the output \"\(slot.name)\" keeps an old row: \(error)")
      }
    }
    let new = list.order
    let shorter = min(values.count, new.count)
    var start = 0
    while start < shorter, new[start] == start { start += 1 }
    var ending = 0
    while ending < shorter - start, new[new.count - 1 - ending] == values.count - 1 - ending { ending += 1 }
    guard start < values.count - ending || start < new.count - ending else { return }
    slot.replaceElements(
      start..<values.count - ending,
      with: new[start..<new.count - ending].compactMap { $0 < values.count ? values[$0] : changed[$0] })
    rows = nil
  }
}

/// A change of a place that a list does not have.
struct RowChangeError: Error, CustomStringConvertible {
  let description: String

  init(_ places: [Int], count: Int) {
    let named = places.map(String.init).joined(separator: " or ")
    description = "there is no place \(named) in its \(count) rows"
  }
}
