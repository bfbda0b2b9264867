// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiSQLite

/// The data folder of a server whose sessions and rooms are elsewhere: one process at a time uses it.
package final class DataFolder: Sendable {
  private let lock: FolderLock
  /// Names the node that uses the folder; the same after each restart.
  package let node: Int64

  /// Makes the folder at the first time, and locks it; blocks.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - busyTimeout: How long to wait for another process that uses it.
  /// - Throws: `StorageError` with one sentence for the operator.
  package init(_ path: String, busyTimeout: Duration = .seconds(5)) throws(StorageError) {
    let file = URL(fileURLWithPath: path).appending(path: "node")
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try MusubiSQLite.PrivateFile.tighten(path, to: 0o700)
      lock = try FolderLock(path, waiting: busyTimeout)
      if FileManager.default.fileExists(atPath: file.path) {
        let text = try String(contentsOf: file, encoding: .utf8)
        guard let found = Int64(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
          throw StorageError("\(file.path) holds no number; remove it while the server is stopped.")
        }
        node = found
      } else {
        node = .random(in: 1...Int64.max)
        try Data("\(node)\n".utf8).write(to: file, options: .atomic)
      }
    } catch let error as StorageError {
      throw error
    } catch let error as SQLiteError {
      throw StorageError(error, path: path)
    } catch {
      throw StorageError("\(path) cannot be used: \(error.localizedDescription).")
    }
  }
}
