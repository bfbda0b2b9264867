// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiServer

/// The command line that writes the pages as they are sent: `pages FOLDER [options of serve]`.
enum PagesCommand {
  static let help = """
    FOLDER gets every file of the pages' folder, each page put together from its layout and its fragments, and the client's
    files: any file server can show them. The page of a route such as /tea is tea/index.html; a route with a place in its
    path, such as /teas/<id>, has no file. Files that are there are written over, and others stay. If a page cannot be put
    together, or a file has no place there, nothing is written; if the disk is full, a part of them may be there.

    Each option of serve is taken as well; --public FOLDER says where the pages are.
    """

  /// Takes the folder out of the words.
  ///
  /// - Throws: `CommandLineError` if there is none.
  static func takeFolder(_ words: inout [String]) throws(CommandLineError) -> String {
    guard let folder = words.first, !folder.hasPrefix("-") else {
      throw CommandLineError("pages needs a folder for the files: pages FOLDER.")
    }
    words.removeFirst()
    return folder
  }

  /// Writes an application's pages, or prints a line for each mistake that keeps one from being put together.
  ///
  /// - Returns: The exit status: 1 if there are mistakes, else 0.
  /// - Throws: `ServerError` if the pages cannot be read, `CommandLineError` if the folder is theirs, two
  ///   pages have one place, or a file cannot be written to it; then it is as it was, unless the system
  ///   failed in the middle.
  static func run(_ application: Application, to folder: String, write: (String) -> Void) throws -> Int32 {
    let source = application.configuration.publicFolder
    let files: StaticFiles
    do throws(ServerError) {
      files = try StaticFiles(root: source, routes: application.pages)
    } catch {
      guard !error.pages.isEmpty else { throw error }
      write(error.description)
      return 1
    }
    let (from, to) = (path(of: source), path(of: folder))
    guard to != from, !to.hasPrefix(from + "/") else {
      throw CommandLineError(
        "\(folder) is a part of \(source), where the pages come from; name another folder.")
    }
    if let (route, path) = files.clash {
      throw CommandLineError(
        "the page of \(route) is to be \(path), and another page has that place; give one of them "
          + "another name."
      )
    }
    let contents = files.contents
    try checkFolders(of: contents.map(\.path))
    try checkPlaces(of: contents.map(\.path), in: folder)
    for (path, body) in contents { try put(body, at: folder + "/" + path) }
    write("\(contents.count) files are in \(folder).")
    return 0
  }

  /// Looks whether a file is to be where another one needs a folder: `docs` of the pages' folder, and the page of `/docs/start`.
  private static func checkFolders(of paths: [String]) throws(CommandLineError) {
    let files = Set(paths)
    for path in paths {
      let parts = path.split(separator: "/")
      for count in parts.indices {
        let folder = parts.prefix(count).joined(separator: "/")
        guard files.contains(folder) else { continue }
        throw CommandLineError(
          "\(folder) cannot be a file and the folder of \(path) at once; give one of them another name.")
      }
    }
  }

  /// Looks whether each file has a place on the disk, before the first one is written.
  private static func checkPlaces(of paths: [String], in folder: String) throws(CommandLineError) {
    for path in paths {
      let parts = path.split(separator: "/")
      for count in 0...parts.count {
        let place = ([folder] + parts.prefix(count).map(String.init)).joined(separator: "/")
        let isForFile = count == parts.count
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: place, isDirectory: &isFolder),
          isFolder.boolValue == isForFile
        else { continue }
        let (found, wanted) = isForFile ? ("folder", "file") : ("file", "folder")
        throw CommandLineError(
          "\(place) is a \(found), where a \(wanted) is to be; move it away, or name another folder.")
      }
    }
  }

  private static func put(_ body: [UInt8], at path: String) throws(CommandLineError) {
    let file = URL(fileURLWithPath: path)
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(body).write(to: file, options: .atomic)
    } catch {
      throw CommandLineError("\(path) cannot be written: \(error.localizedDescription)")
    }
  }

  /// A path without links, whether the file is there or not.
  private static func path(of file: String) -> String {
    URL(fileURLWithPath: file).standardizedFileURL.resolvingSymlinksInPath().path
  }
}
