// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The program of the package in a folder, as SwiftPM builds it.
struct ProgramOfPackage {
  let folder: String
  /// The executable product.
  let name: String

  /// The package's only executable product, or the one that is named.
  ///
  /// - Throws: `ToolError` if there is no package, or no such product, or the choice is left.
  init(in folder: String, named product: String? = nil) throws {
    self.folder = folder
    guard FileManager.default.fileExists(atPath: folder + "/Package.swift") else {
      throw ToolError("there is no Package.swift in \(folder); go to the folder of the package.")
    }
    let list = try Self.read(["swift", "package", "show-executables", "--format", "json"], in: folder)
    let names = try Self.programs(in: Data(list.utf8))
    if let product {
      guard names.contains(product) else {
        throw ToolError("the package has no program \(product), but \(names.joined(separator: ", ")).")
      }
      name = product
      return
    }
    guard let only = names.first, names.count == 1 else {
      throw ToolError(
        names.isEmpty
          ? "the package has no program; Package.swift needs an executableTarget."
          : "the package has several programs; name one by --product: \(names.joined(separator: ", ")).")
    }
    name = only
  }

  /// The words that build it, as it is debugged.
  var build: [String] { ["swift", "build", "--product", name] }

  /// Where it is when it is built.
  ///
  /// - Parameter options: The options of that build.
  /// - Returns: Its path.
  /// - Throws: `ToolError` if SwiftPM does not say it.
  func path(_ options: [String] = []) throws -> String {
    let folder = try Self.read(["swift", "build", "--show-bin-path"] + options, in: folder)
    return folder.trimmingCharacters(in: .whitespacesAndNewlines) + "/" + name
  }

  /// The package's own programs among those that SwiftPM lists; dependencies name their package.
  static func programs(in list: Data) throws -> [String] {
    struct Program: Decodable {
      let name: String
      let package: String?
    }
    return try JSONDecoder().decode([Program].self, from: list).filter { $0.package == nil }.map(\.name)
  }

  /// What a program prints.
  static func read(_ words: [String], in folder: String) throws -> String {
    let pipe = Pipe()
    let child = try ChildProcess(
      words, in: folder, output: .descriptor(pipe.fileHandleForWriting.fileDescriptor))
    try pipe.fileHandleForWriting.close()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    guard child.wait() == 0 else {
      throw ToolError("\(words[0]) has failed; it says above why.")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
