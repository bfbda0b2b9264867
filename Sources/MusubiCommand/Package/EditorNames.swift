// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The names of a package's screens, as an editor offers them in pages.
struct EditorNames: Codable, Equatable {
  /// The file in a package's folder that has them, for Visual Studio Code.
  static let file = ".vscode/musubi.html-data.json"

  var screens: [String]
  var inputs: [String]
  var outputs: [String]

  /// Has a program that was built tell its names, and writes them into the editor's file if there is one.
  ///
  /// - Parameters:
  ///   - program: Where the program is.
  ///   - folder: The package's folder.
  /// - Throws: What keeps the file from being read or written, and a program from being asked.
  static func refresh(from program: String, in folder: String) throws {
    let url = URL(fileURLWithPath: folder + "/" + file)
    guard let text = try? Data(contentsOf: url) else { return }
    let printed = try ProgramOfPackage.read([program, "names"], in: folder)
    let names = try JSONDecoder().decode(EditorNames.self, from: Data(printed.utf8))
    var list = try JSONDecoder().decode(EditorAttributes.List.self, from: text)
    guard list.names != names else { return }
    list.names = names
    try list.json().write(to: url, options: .atomic)
  }
}
