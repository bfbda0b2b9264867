// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// The inputs of one name that rows have: finds the row, in whichever list it is.
///
/// The ids of a row are those of the rows on the way to it, outermost first, and its own.
protocol RowInputs: AnyObject {
  /// The input's name.
  var name: String { get }

  /// The name that the rows declare it by: another one than `name` if that has a component's before it.
  var declaredName: String { get }

  /// Whether it takes typing into the text of a row.
  ///
  /// - Throws: `BindingError` if there is no such row, or two have these ids.
  func takesText(fromRow row: [String]) throws(BindingError) -> Bool

  /// The place of the output that shows a row.
  ///
  /// - Throws: `BindingError` if there is no such row, or two have these ids.
  func output(ofRow row: [String]) throws(BindingError) -> Int

  /// Hands a value to the model of a row.
  ///
  /// - Parameters:
  ///   - value: The value from the wire.
  ///   - row: The ids; of a model's row, the value may have its id instead.
  ///   - output: The place of the output that shows the row; nil if the ids have to say that.
  /// - Throws: `BindingError`, before the model has seen anything.
  func deliver(_ value: Value?, row: [String], in output: Int?) throws(BindingError)
}
