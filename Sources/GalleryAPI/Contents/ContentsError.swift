// SPDX-License-Identifier: Apache-2.0
import MusubiSQLite

/// Why the contents could not be read or changed; nothing was changed then.
package struct ContentsError: Error, Equatable, Codable, CustomStringConvertible {
  /// A part of a post that has bounds.
  package enum Field: String, Sendable, Codable {
    case title, text, author
    /// The number of the input that causes the post.
    case idempotencyKey
  }

  /// The kinds that a caller can tell apart; the View layer decides on their look.
  package enum Kind: Sendable, Equatable, Codable {
    /// A part is empty, or blank.
    case empty(Field)
    /// A part is longer than this number of characters.
    case tooLong(Field, limit: Int)
    /// There is no entry with this number, or no longer.
    case notFound(id: Int64)
    /// Somebody else keeps the database locked, or too many requests wait; a later attempt may succeed.
    case busy
    /// The disk is full, or may not be written.
    case diskFull
    /// The database's file is damaged or from a newer version.
    case damaged
    /// The contents are closed: the program is about to end.
    case closed
    /// Anything else.
    case unavailable
  }

  /// What went wrong, for the program.
  package let kind: Kind
  /// What went wrong, for the log.
  package let description: String

  /// An error that was found before the database was asked, or that a test makes.
  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// The error of a work on the database.
  init(_ error: any Error) {
    if let error = error as? ContentsError {
      self = error
    } else if let error = error as? SQLiteError {
      self.init(Self.kind(of: error), error.description)
    } else if GalleryTables.isBusy(error) {
      self.init(.busy, String(describing: error))
    } else {
      self.init(.unavailable, String(describing: error))
    }
  }

  private static func kind(of error: SQLiteError) -> Kind {
    switch error.kind {
    case .busy, .queueFull: .busy
    case .full, .readOnly: .diskFull
    case .corrupt, .newerSchema, .wrongType: .damaged
    case .closed: .closed
    case .constraint, .cannotOpen, .inputOutput, .tooLarge, .other: .unavailable
    }
  }
}
