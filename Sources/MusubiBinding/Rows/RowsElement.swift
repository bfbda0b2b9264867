// SPDX-License-Identifier: Apache-2.0
import MusubiRx

/// What an output of rows emits: the list, or how it changes.
protocol RowsElement {
  /// The type of the rows.
  static var rowType: Any.Type { get }
  /// Whether an element is all of the list, so that only the newest one is needed.
  static var isWhole: Bool { get }
  /// Writes elements into an output.
  ///
  /// - Parameter slot: The output.
  /// - Returns: A closure of type `(Self) throws -> Void`.
  static func writer(into slot: OutputSlot) -> Any
}

extension Array: RowsElement where Element: Encodable {
  static var rowType: Any.Type { Element.self }
  static var isWhole: Bool { true }

  static func writer(into slot: OutputSlot) -> Any {
    let output = RowsOutput<Element>(slot)
    return { (rows: [Element]) in try output.show(rows) }
  }
}

extension RowChange: RowsElement where Row: Encodable {
  static var rowType: Any.Type { Row.self }
  static var isWhole: Bool { false }

  static func writer(into slot: OutputSlot) -> Any {
    let output = RowsOutput<Row>(slot)
    return { (change: RowChange<Row>) in
      if output.isResting { try output.wait(for: change) } else { try output.take(change) }
    }
  }
}
