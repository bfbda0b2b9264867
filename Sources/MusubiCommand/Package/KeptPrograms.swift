// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// Copies of a program that outlive later builds: the one that is served, and the one that waits for a check.
///
/// A copy has a folder with what programs look for beside themselves: shared libraries, resources of targets.
struct KeptPrograms {
  /// The program that is served.
  let served: String
  /// The program that was built last.
  let next: String
  /// Whether the check of the program that is served has passed.
  var isChecked = false
  private let built: String

  /// Copies of a program, of which there is none yet.
  ///
  /// - Parameters:
  ///   - program: Where SwiftPM puts it.
  ///   - folder: The folder for the copies.
  init(of program: String, in folder: String) {
    built = program
    let name = (program as NSString).lastPathComponent
    (served, next) = ("\(folder)/served/\(name)", "\(folder)/next/\(name)")
  }

  /// Copies the program that was built last.
  ///
  /// - Throws: `ToolError` if there is no place for it.
  func keepNext() throws(ToolError) {
    do {
      let (from, to) = (Self.folder(of: built), Self.folder(of: next))
      try Self.remove(to)
      try FileManager.default.createDirectory(atPath: to, withIntermediateDirectories: true)
      try Self.link(built, to: next)
      for name in try FileManager.default.contentsOfDirectory(atPath: from) {
        if name.hasSuffix(".so") {
          try Self.link("\(from)/\(name)", to: "\(to)/\(name)")
        } else if name.hasSuffix(".resources") || name.hasSuffix(".bundle") {
          try FileManager.default.createSymbolicLink(
            atPath: "\(to)/\(name)", withDestinationPath: "\(from)/\(name)")
        }
      }
    } catch { throw ToolError("\(built) cannot be kept: \(error.localizedDescription)") }
  }

  /// Has the program that was built last take the place of the one that is served.
  ///
  /// - Throws: `ToolError` if the system does not let it.
  func serveNext() throws(ToolError) {
    let (from, to) = (Self.folder(of: next), Self.folder(of: served))
    do { try Self.remove(to) } catch {
      throw ToolError("\(served) cannot be replaced: \(error.localizedDescription)")
    }
    guard rename(from, to) == 0 else {
      throw ToolError("\(next) cannot be served: \(String(cString: strerror(errno))).")
    }
  }

  /// Removes a folder of copies, if it is there.
  private static func remove(_ folder: String) throws {
    if FileManager.default.fileExists(atPath: folder) { try FileManager.default.removeItem(atPath: folder) }
  }

  private static func folder(of path: String) -> String { (path as NSString).deletingLastPathComponent }

  /// Gives a file a second name, or copies it to another disk.
  ///
  /// The next build's linker writes a new file, and leaves this one.
  private static func link(_ file: String, to copy: String) throws {
    if Glibc.link(file, copy) != 0 { try FileManager.default.copyItem(atPath: file, toPath: copy) }
  }
}
