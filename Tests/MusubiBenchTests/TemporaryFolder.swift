// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A folder for the files of one test, removed with it.
final class TemporaryFolder {
  private let url = FileManager.default.temporaryDirectory.appendingPathComponent(
    "musubi-bench-\(UUID().uuidString)")

  /// Writes a file.
  ///
  /// - Parameters:
  ///   - text: Its contents.
  ///   - name: Its name in the folder.
  /// - Returns: Its path.
  /// - Throws: What Foundation says if it cannot be written.
  func write(_ text: String, to name: String) throws -> String {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let path = url.appendingPathComponent(name).path
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  deinit {
    // A test that wrote nothing has no folder.
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    do { try FileManager.default.removeItem(at: url) } catch { print("\(url.path) is left: \(error)") }
  }
}
