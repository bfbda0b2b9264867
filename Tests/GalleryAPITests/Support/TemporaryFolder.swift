// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A new, empty folder that is removed when the last reference goes.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "musubi-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // Nothing depends on it; the system clears its temporary folder, too.
    do { try FileManager.default.removeItem(at: url) } catch {}
  }

  /// The path of a file in the folder.
  func path(_ name: String) -> String { url.appending(path: name).path }
}
