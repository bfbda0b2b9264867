// SPDX-License-Identifier: Apache-2.0

/// A row that somebody has put elsewhere in a list, by pointer, finger or keyboard.
///
/// An input of this type takes what the page sends by `data-on-move`. Both rows are named by their ids, so that it means the
/// same place whatever others have done to the list meanwhile:
///
/// ```swift
/// struct Inputs: Decodable { var move: Signal<RowMove<Chore.ID>> = .never() }
///
/// inputs.move.emit(onNext: { [chores] move in chores.update { $0.apply(move) } })
/// ```
public struct RowMove<ID> {
  /// The row's id.
  public let id: ID
  /// The id of the row that it goes in front of; nil if it goes to the end.
  public let before: ID?
  /// The list that it goes to: its name, or the part of it that the page shows there (`data-window="done"`); for a list in a
  /// row, the id of that row.
  public let list: String

  /// A row that was put elsewhere.
  public init(id: ID, before: ID? = nil, list: String) {
    self.id = id
    self.before = before
    self.list = list
  }
}

extension RowMove: Decodable where ID: Decodable {}
extension RowMove: Equatable where ID: Equatable {}
extension RowMove: Sendable where ID: Sendable {}

/// `RowMove` of any id, for the declaration of an input.
package protocol RowMoveType {}

extension RowMove: RowMoveType {}

extension Array where Element: Identifiable {
  /// Puts a row elsewhere in this list; changes nothing if one of the two rows is not there.
  ///
  /// - Parameter move: The row, and the one that it goes in front of.
  public mutating func apply(_ move: RowMove<Element.ID>) {
    guard let from = firstIndex(where: { $0.id == move.id }), move.before != move.id else { return }
    let row = remove(at: from)
    if !insert(row, by: move) { insert(row, at: from) }
  }

  /// Puts a row of another list where a move says.
  ///
  /// ```swift
  /// if done.insert(card, by: move) { todo.removeAll { $0.id == move.id } }
  /// ```
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - move: The one that it goes in front of.
  /// - Returns: Whether that one is in this list; nothing changes otherwise.
  @discardableResult
  public mutating func insert(_ row: Element, by move: RowMove<Element.ID>) -> Bool {
    guard let place = move.before == nil ? endIndex : firstIndex(where: { $0.id == move.before }) else {
      return false
    }
    insert(row, at: place)
    return true
  }
}
