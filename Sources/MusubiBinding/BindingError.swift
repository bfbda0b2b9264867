// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

/// An input that a screen refuses; it has changed nothing.
package struct BindingError: Error, Equatable, CustomStringConvertible {
  /// What the wire calls it.
  package let code: ErrorCode
  /// One sentence: the expected value, the actual value, the remedy.
  package let message: String

  /// The sentence.
  package var description: String { message }

  /// A refusal with its code and sentence.
  package init(_ code: ErrorCode, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The refusal of a name that the screen has not declared.
  package static func unknownInput(_ name: String, known: [String]) -> BindingError {
    let quoted = "\"\(name.prefix(80))\""
    guard !known.isEmpty else {
      return BindingError(.unknownInput, "There is no input \(quoted); the screen takes none.")
    }
    let names = known.prefix(12).joined(separator: ", ")
    return BindingError(.unknownInput, "There is no input \(quoted); the screen takes \(names).")
  }

  /// The refusal of what comes from a row that is not there.
  package static func unknownRow(_ row: [String]) -> BindingError {
    BindingError(.unknownRow, "The row \"\(row.joined(separator: "/").prefix(80))\" has gone.")
  }

  /// The refusal of a file that has not arrived, or was handed over already.
  package static var unknownUpload: BindingError {
    BindingError(.unknownUpload, "There is no such upload here; send the file again.")
  }

  /// The refusal of a file for an input that takes none.
  package static func noFiles(_ name: String) -> BindingError {
    BindingError(.unknownInput, "The screen takes no files by \"\(name.prefix(80))\".")
  }

  /// The refusal of a file with too many bytes, or none.
  package static func fileSize(_ size: Int, _ name: String, limit: Int) -> BindingError {
    BindingError(.tooLarge, "A file for \"\(name)\" has 1 to \(limit) bytes; this one has \(size).")
  }

  /// The refusal of a file of another type.
  package static func fileType(_ type: String, _ name: String, _ types: [String]) -> BindingError {
    let expected = types.joined(separator: ", ")
    return BindingError(.wrongType, "A file for \"\(name)\" is of type \(expected); this one is \(type).")
  }

  /// The refusal of an input of a part that the model does not have at present.
  package static func absent(_ name: String) -> BindingError {
    BindingError(.unknownInput, "There is nothing at present that takes \"\(name.prefix(80))\".")
  }

  /// The refusal of what says no window of a long list.
  package static func wrongWindow(_ name: String) -> BindingError {
    BindingError(
      .wrongType,
      "A window of \"\(name.prefix(80))\" has a count of 1 to \(WindowedOutput.maxRows), and begins at first, or before an anchor; "
        + "a part or a word has at most 200 bytes, and a page \(RowWindow.most) windows."
    )
  }

  /// The refusal of an edit in one more row of a long list.
  static func tooManyEdited(_ name: String) -> BindingError {
    BindingError(
      .tooMany, "\(EditedRows.most) rows of \"\(name)\" are edited already; come back in a minute or two.")
  }

  /// The refusal of what would make a text too long.
  package static func tooLarge(_ name: String, limit: Int) -> BindingError {
    BindingError(.tooLarge, "The text of \"\(name)\" would exceed \(limit) bytes; send less.")
  }

  /// The refusal of what the sender may not send.
  package static func notAllowed(_ name: String) -> BindingError {
    BindingError(.notAllowed, "You may not use \"\(name.prefix(80))\".")
  }

  /// The refusal of a value that is not of the input's kind.
  package static func wrongType(_ name: String, expects kind: InputKind, got value: Value?) -> BindingError {
    let came = value.map(\.kindPhrase) ?? "no value"
    return BindingError(.wrongType, "The input \"\(name)\" takes \(kind.phrase), but \(came) came.")
  }
}

extension Value {
  /// The kind of the value as a phrase.
  fileprivate var kindPhrase: String {
    switch self {
    case .null: "null"
    case .bool: "a truth value"
    case .integer, .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
