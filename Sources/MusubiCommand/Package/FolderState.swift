// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// When the files of some folders were written last, to see that one has changed.
struct FolderState: Equatable {
  private struct Stamp: Equatable {
    let seconds: Int
    let nanoseconds: Int
    let bytes: Int
  }

  private var stamps: [String: Stamp] = [:]

  /// Looks at all files now.
  ///
  /// - Parameters:
  ///   - names: Files and folders; what is missing has no file.
  ///   - folder: The folder in which they lie.
  init(of names: [String], in folder: String) {
    for name in names {
      let path = folder + "/" + name
      add(path)
      let files = FileManager.default.enumerator(atPath: path)
      while let file = files?.nextObject() as? String {
        // Editors' own files are none of the package.
        if !file.split(separator: "/").contains(where: { $0.hasPrefix(".") || $0.hasSuffix("~") }) {
          add(path + "/" + file)
        }
      }
    }
  }

  private mutating func add(_ path: String) {
    var info = stat()
    // A folder's time changes with each file that an editor makes for a moment.
    guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return }
    stamps[path] = Stamp(
      seconds: info.st_mtim.tv_sec, nanoseconds: info.st_mtim.tv_nsec, bytes: Int(info.st_size))
  }
}
