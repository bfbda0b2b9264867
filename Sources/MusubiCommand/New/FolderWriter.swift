// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// Writes a folder with all its files, or nothing.
struct FolderWriter {
  /// Why a folder cannot be written here; nil if it can.
  static func problem(of folder: String) -> String? {
    var info = stat()
    guard lstat(folder, &info) == 0 else { return nil }
    guard info.st_mode & S_IFMT == S_IFDIR else { return "\(folder) exists, and is no folder." }
    let contents = try? FileManager.default.contentsOfDirectory(atPath: folder)
    return contents == [] ? nil : "\(folder) exists, and is not empty."
  }

  /// Writes the files beside the folder first, and gives them its name at the end.
  ///
  /// - Parameters:
  ///   - files: The files by their paths in the folder.
  ///   - folder: The folder; none, or an empty one.
  /// - Throws: `ToolError` if something cannot be written; nothing is left of it then.
  static func write(_ files: [String: String], to folder: String) throws {
    let parent = URL(fileURLWithPath: folder).deletingLastPathComponent()
    let made = parent.appendingPathComponent(".musubi-new-\(UUID().uuidString)")
    do {
      for (path, text) in files {
        let url = made.appendingPathComponent(path)
        try FileManager.default.createDirectory(
          at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
      }
    } catch {
      try? FileManager.default.removeItem(at: made)
      throw ToolError("nothing can be written in \(parent.path): \((error as NSError).localizedDescription)")
    }
    // An empty folder makes room for the new one; anything else does not.
    guard rename(made.path, folder) == 0 else {
      let reason = String(cString: strerror(errno))
      try? FileManager.default.removeItem(at: made)
      throw ToolError("\(folder) cannot be made: \(reason).")
    }
  }
}
