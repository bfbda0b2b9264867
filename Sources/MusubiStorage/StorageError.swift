// SPDX-License-Identifier: Apache-2.0
import MusubiSQLite

/// Why sessions cannot be stored or read: one sentence for the operator, with what to do.
package struct StorageError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  init(_ error: any Error, path: String) {
    if let error = error as? StorageError {
      self = error
      return
    }
    guard let error = error as? SQLiteError else {
      description =
        "\(path) holds something that this program cannot read (\(error)); move the file away to begin without it."
      return
    }
    description =
      switch error.kind {
      case .busy:
        "\(path) is in use by another process; stop that one, or give this one another folder by --data."
      case .full: "The disk of \(path) is full; free some space, and the server goes on by itself."
      case .corrupt: "\(path) is damaged (\(error.message)); move it away, and pages begin new sessions."
      case .newerSchema:
        "\(path) was written by a newer version of the program; use that one, or move the file away."
      case .readOnly, .cannotOpen:
        "\(path) cannot be written (\(error.message)); check its folder's owner and permissions, or use another by --data."
      default: error.file == nil ? "\(path): \(error)." : "\(error)."
      }
  }
}
