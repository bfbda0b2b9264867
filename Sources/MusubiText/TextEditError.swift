// SPDX-License-Identifier: Apache-2.0

/// Why an edit is none, or does not fit a text.
package struct TextEditError: Error, Equatable, CustomStringConvertible {
  /// What is wrong with a component.
  package enum Kind: Equatable, Sendable {
    /// Its position is negative or before the end of the last one.
    case notAscending
    /// Its position or its end is outside of a text of so many UTF-16 units.
    case outOfBounds(length: Int)
    /// It begins or ends between the halves of a surrogate pair.
    case splitsPair
  }

  /// What is wrong.
  package let kind: Kind
  /// Where the component begins or ends, in UTF-16 units.
  package let position: Int
  /// The index of the component.
  package let component: Int

  init(_ kind: Kind, position: Int, component: Int) {
    self.kind = kind
    self.position = position
    self.component = component
  }

  /// One sentence with place, expectation and what came.
  package var description: String {
    let problem =
      switch kind {
      case .notAscending: "is negative or before the end of the last one"
      case .outOfBounds(let length): "is outside the text of \(length) UTF-16 units"
      case .splitsPair: "is between the halves of a surrogate pair"
      }
    return "edit component \(component): position \(position) \(problem)"
  }
}
