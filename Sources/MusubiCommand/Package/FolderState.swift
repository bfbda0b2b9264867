// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiServer

/// When the files of some folders were written last, to see that one has changed.
struct FolderState: Equatable {
  private var stamps: [String: FileStamp] = [:]

  /// Looks at all files now.
  ///
  /// - Parameters:
  ///   - names: Files and folders; what is missing has no file.
  ///   - folder: The folder in which they lie.
  init(of names: [String], in folder: String) {
    for name in names {
      let path = folder + "/" + name
      stamps[path] = FileStamp(ofFile: path)
      let files = FileManager.default.enumerator(atPath: path)
      while let file = files?.nextObject() as? String {
        // Editors' own files are none of the package.
        if !file.split(separator: "/").contains(where: { $0.hasPrefix(".") || $0.hasSuffix("~") }) {
          // A folder has none: its time changes with each file that an editor makes for a moment.
          stamps[path + "/" + file] = FileStamp(ofFile: path + "/" + file)
        }
      }
    }
  }
}
