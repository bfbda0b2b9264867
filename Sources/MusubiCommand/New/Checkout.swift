// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi

/// A folder with Musubi's sources: a new package takes its container and its unit from there.
struct Checkout {
  /// The folder, without symbolic links.
  let folder: String

  /// Takes a folder that is Musubi's.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - base: The folder that a relative path begins in.
  /// - Throws: `CommandLineError` if it is none.
  init(_ path: String, from base: String) throws(CommandLineError) {
    let url = URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: base, isDirectory: true))
    folder = url.resolvingSymlinksInPath().path
    guard Self.isMusubi(folder) else {
      throw CommandLineError(
        "\(path) holds no sources of Musubi; --musubi takes the folder with its Package.swift.")
    }
  }

  /// The sources that a program was built in: `.build/debug/musubi` lies in them.
  ///
  /// - Parameter program: The program's path.
  /// - Throws: `CommandLineError` if it lies elsewhere.
  init(around program: String) throws(CommandLineError) {
    var url = URL(fileURLWithPath: program).resolvingSymlinksInPath()
    while url.path != "/" {
      url.deleteLastPathComponent()
      // A program that a package has built as its dependency: SwiftPM keeps the sources there.
      let checkouts = url.appendingPathComponent("checkouts/Musubi").path
      if let found = [url.path, checkouts].first(where: Self.isMusubi) {
        folder = found
        return
      }
    }
    throw CommandLineError("\(program) lies in no sources of Musubi; say by --musubi FOLDER where they are.")
  }

  private static func isMusubi(_ folder: String) -> Bool {
    ["Package.swift", "Sources/Musubi", "deploy/Dockerfile"].allSatisfy {
      FileManager.default.fileExists(atPath: folder + "/" + $0)
    }
  }

  /// What SwiftPM calls the package in it: the folder's own name.
  var identity: String { URL(fileURLWithPath: folder).lastPathComponent }

  /// The text of a file.
  func text(_ path: String) throws -> String {
    do {
      return try String(contentsOfFile: folder + "/" + path, encoding: .utf8)
    } catch {
      throw ToolError("\(folder)/\(path) cannot be read; it belongs to Musubi.")
    }
  }
}
