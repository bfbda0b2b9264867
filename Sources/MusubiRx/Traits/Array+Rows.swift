// SPDX-License-Identifier: Apache-2.0

extension Array where Element: Identifiable {
  /// The row with an id; nil if it is not there.
  ///
  /// ```swift
  /// chores[id: 7]?.isDone = true  // changes it, if it is there
  /// chores[id: 7] = nil           // takes it out
  /// ```
  ///
  /// A row that is set takes the place of the one with the id, or comes at the end if there is none.
  ///
  /// - Parameter id: The row's; of several rows the first one counts.
  /// - Precondition: A row that is set has this id.
  /// - Complexity: O(n): it looks at one row after the other.
  public subscript(id id: Element.ID) -> Element? {
    get { first { $0.id == id } }
    set {
      let place = firstIndex { $0.id == id }
      guard let newValue else {
        if let place { remove(at: place) }
        return
      }
      precondition(newValue.id == id, "The row has another id.")
      if let place { self[place] = newValue } else { append(newValue) }
    }
  }

  /// Gives a row that was put between others a number between theirs, in a list whose order is a number of each row: a database
  /// keeps the order so.
  ///
  /// ```swift
  /// chores.apply(move)
  /// try store.keep(chores.number(move.id, by: \.place))
  /// ```
  ///
  /// The number lies in the middle between those of the neighbours. When none lies between them any more, all rows get whole
  /// numbers.
  ///
  /// - Parameters:
  ///   - id: The row's; the others stand in the order of their numbers.
  ///   - place: The number.
  /// - Returns: The rows whose numbers are to be kept: mostly this one alone; none if it is not there.
  public mutating func number(_ id: Element.ID, by place: WritableKeyPath<Element, Double>) -> [Element] {
    guard let index = firstIndex(where: { $0.id == id }) else { return [] }
    let next = index + 1 < endIndex ? self[index + 1][keyPath: place] : nil
    let before: Double = index > 0 ? self[index - 1][keyPath: place] : (next ?? 2) - 2
    let after: Double = next ?? before + 2
    let middle = (before + after) / 2
    if before < middle, middle < after {
      self[index][keyPath: place] = middle
      return [self[index]]
    }
    for index in indices { self[index][keyPath: place] = Double(index) }
    return self
  }
}
