// SPDX-License-Identifier: Apache-2.0

/// A place in a script, counted from 1 as editors do.
package struct SourceLocation: Hashable, Sendable {
  /// The file as it was named on the command line or in an `include`.
  package var file: String
  /// The line, from 1.
  package var line: Int
  /// The column in characters, from 1.
  package var column: Int

  package init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }
}

/// A script that cannot be run, because its text is wrong.
package struct ScriptError: Error, Equatable, CustomStringConvertible {
  /// Where the problem starts.
  package let location: SourceLocation
  /// The mistake and its correction, in one sentence.
  package let message: String

  package init(_ location: SourceLocation, _ message: String) {
    self.location = location
    self.message = message
  }

  /// The form that editors and CI systems turn into a link.
  package var description: String {
    "\(location.file):\(location.line):\(location.column): error: \(message)"
  }
}
