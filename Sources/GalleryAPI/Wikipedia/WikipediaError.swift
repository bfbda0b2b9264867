// SPDX-License-Identifier: Apache-2.0

/// Why a search at Wikipedia has no result.
package struct WikipediaError: Error, Equatable, CustomStringConvertible {
  /// The kinds that a caller can tell apart.
  package enum Kind: Sendable, Equatable {
    /// No connection, no answer in time, or an answer that was cut.
    case transport
    /// The server answered with this HTTP status instead of 200.
    case status(Int)
    /// The answer is not what the API's documentation says, or too large.
    case invalidAnswer
    /// The API itself refuses the question.
    case refused
    /// The task that asked was cancelled.
    case cancelled
  }

  /// What went wrong, for the program.
  package let kind: Kind
  /// What went wrong, for the log.
  package let description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
