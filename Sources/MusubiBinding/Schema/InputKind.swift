// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

/// The type of value that an input takes.
package enum InputKind: String, Sendable {
  /// Nothing: a tap.
  case void
  /// true or false.
  case bool
  /// A whole number.
  case integer
  /// Any number.
  case number
  /// Text; the only kind that a two-way name can have.
  case string
  /// A row's move in a list, a `RowMove`.
  case move
  /// Anything that JSON can say; the author's own type decides.
  case value
  /// A file: the page names its upload.
  case file

  /// Whether a value from the wire is of this kind.
  package func accepts(_ value: Value?) -> Bool {
    switch (self, value) {
    case (.void, nil), (.bool, .bool), (.string, .string), (.file, .string), (.integer, .integer): true
    case (.number, .integer), (.number, .number): true
    case (.move, .object): true
    case (.value, .some): true
    default: false
    }
  }

  /// The kind as a phrase that completes "takes …".
  package var phrase: String {
    switch self {
    case .void: "no value"
    case .bool: "true or false"
    case .integer: "a whole number"
    case .number: "a number"
    case .string: "a string"
    case .move: "a row's move"
    case .value: "a value"
    case .file: "a file"
    }
  }
}
