// SPDX-License-Identifier: Apache-2.0
import MusubiRx

/// What an output of rows emits: the list, or how it changes.
protocol RowsElement {
  /// The type of the rows.
  static var rowType: Any.Type { get }
  /// Writes elements into an output.
  ///
  /// - Parameter slot: The output.
  /// - Returns: A closure of type `(Self) throws -> Void`.
  static func writer(into slot: OutputSlot) -> Any
}

extension Array: RowsElement where Element: Encodable {
  static var rowType: Any.Type { Element.self }

  static func writer(into slot: OutputSlot) -> Any {
    let output = RowsOutput<Element>(slot)
    return { (rows: [Element]) in try output.show(rows) }
  }
}

extension RowChange: RowsElement where Row: Encodable {
  static var rowType: Any.Type { Row.self }

  static func writer(into slot: OutputSlot) -> Any {
    let output = RowsOutput<Row>(slot)
    return { (change: RowChange<Row>) in try output.take(change) }
  }
}
