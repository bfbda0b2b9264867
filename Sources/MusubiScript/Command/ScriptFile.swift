// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Scripts on disk.
enum ScriptFile {
  /// A file that cannot be read.
  private struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  /// The scripts in a folder, by name; nil if this is no folder.
  static func scripts(in folder: String) -> [String]? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
      return nil
    }
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    let base = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    return names.filter { $0.hasSuffix(".musubi") }.sorted().map { "\(base)/\($0)" }
  }

  /// Reads and parses a script.
  static func parse(_ file: String) throws(ScriptError) -> Script {
    let text: String
    do {
      text = try contents(of: file)
    } catch {
      throw ScriptError(SourceLocation(file: file, line: 1, column: 1), "\(error).")
    }
    return try ScriptParser.parse(text, file: file) { name, includer in
      let folder = includer.lastIndex(of: "/").map { includer[...$0] } ?? ""
      let path = name.hasPrefix("/") ? name : folder + name
      return (file: path, text: try contents(of: path))
    }
  }

  private static func contents(of file: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: file) else {
      let isThere = FileManager.default.fileExists(atPath: file)
      throw Unreadable(description: isThere ? "The file cannot be read" : "There is no such file or folder")
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw Unreadable(description: "The file is not UTF-8")
    }
    return text
  }
}
