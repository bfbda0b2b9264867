// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Lists and reads the regular files below a folder.
package struct FolderReader {
  /// A mark that changes when a file is added, removed or written.
  package typealias Fingerprint = [String: FileStamp]

  /// The files, relative to the folder, sorted.
  let paths: [String]
  let fingerprint: Fingerprint
  private let root: String

  /// Walks through a folder.
  ///
  /// - Parameter root: The folder.
  /// - Throws: `ServerError` if there is none.
  init(root: String) throws(ServerError) {
    guard let resolved = Self.resolved(root), Self.isFolder(resolved) else { throw .missingFolder(root) }
    self.root = resolved
    var found: Fingerprint = [:]
    Self.walk(folder: resolved, prefix: "", root: resolved, depth: 0, into: &found)
    fingerprint = found
    paths = found.keys.sorted()
  }

  /// The bytes of one of `paths`.
  func contents(of path: String) throws(ServerError) -> [UInt8] {
    let descriptor = open(root + "/" + path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadableFile(path, String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 { throw .unreadableFile(path, String(cString: strerror(errno))) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  private static func walk(
    folder: String, prefix: String, root: String, depth: Int, into found: inout Fingerprint
  ) {
    // A loop of links could go on for ever.
    guard depth < 16, let stream = opendir(folder) else { return }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      // Hidden files are never meant for visitors.
      guard !name.hasPrefix("."), let target = resolved(folder + "/" + name), target.hasPrefix(root + "/")
      else {
        continue
      }
      if isFolder(target) {
        walk(folder: target, prefix: prefix + name + "/", root: root, depth: depth + 1, into: &found)
      } else if let stamp = FileStamp(ofFile: target) {
        found[prefix + name] = stamp
      }
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The path without links, or nil if it leads nowhere.
  private static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
