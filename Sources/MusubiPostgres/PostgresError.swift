// SPDX-License-Identifier: Apache-2.0

/// What a PostgreSQL server, or this module before it, refused to do.
///
/// It tells whether the outcome of a statement is known: after `connectionLost` and `timedOut` the statement may have been
/// executed or not, and may even be executed later. After every other kind it has changed nothing.
package struct PostgresError: Error, Equatable, CustomStringConvertible {
  /// The kinds that a caller can tell apart and react to.
  package enum Kind: String, Sendable {
    /// The server cannot be reached, or does not take connections at the moment.
    case unreachable
    /// The user's name or password is wrong, or the server lets it in from nowhere.
    case refused
    /// There is no database of this name.
    case noDatabase = "no-database"
    /// The connection has ended while a statement was under way.
    case connectionLost = "connection-lost"
    /// No answer has come in time; the connection is given up.
    case timedOut = "timed-out"
    /// The user may not do this.
    case notAllowed = "not-allowed"
    /// The disk or the memory of the server is used up.
    case full
    /// Another transaction was in the way; the same statement may succeed if it is tried again.
    case conflict
    /// The statement is longer than a server takes.
    case tooLarge = "too-large"
    /// A constraint of the schema forbids the change.
    case constraint
    /// A column holds another type than the one that was asked for.
    case wrongType = "wrong-type"
    /// Anything else, mostly wrong SQL.
    case other
  }

  /// The kind of failure, in the few words that a program can act on.
  package let kind: Kind
  /// The server's code of five characters; nil if it has not answered.
  package let sqlState: String?
  /// One sentence about the cause; it has no password.
  package let message: String

  package init(_ kind: Kind, _ message: String, sqlState: String? = nil) {
    (self.kind, self.message, self.sqlState) = (kind, message, sqlState)
  }

  /// An error that the server has answered.
  init(sqlState: String, message: String) {
    self.init(Self.kind(of: sqlState), message, sqlState: sqlState)
  }

  /// Whether nobody knows whether the statement was, or will be, executed.
  package var isUnknown: Bool { kind == .connectionLost || kind == .timedOut }

  /// Whether the server takes no changes: it is a standby, or was told to take none.
  ///
  /// The statement has changed nothing.
  package var isReadOnly: Bool { sqlState == Self.readOnly }

  static let readOnly = "25006"

  /// The cause, and the server's code.
  package var description: String { message + (sqlState.map { " (SQLSTATE \($0))" } ?? "") }

  static func kind(of sqlState: String) -> Kind {
    switch sqlState {
    case "40001", "40P01", "55P03": return .conflict
    case "3D000": return .noDatabase
    case "42501", readOnly: return .notAllowed
    case "53300", "57P03": return .unreachable
    default: break
    }
    switch sqlState.prefix(2) {
    case "08": return .connectionLost
    case "22": return .wrongType
    case "23": return .constraint
    case "28": return .refused
    case "53": return .full
    default: return .other
    }
  }
}
