// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi

/// Commands in the folder of a package: they have SwiftPM build its program.
struct PackageCommand {
  static var helpOfBuild: String { parser.help }

  let folder: String
  let write: (String) -> Void

  private struct BuildOptions {
    var product: String?
  }

  private static var parser: OptionParser<BuildOptions> {
    OptionParser(
      command: "build",
      options: [
        Option(name: "product", placeholder: "NAME", help: "the program, if the package has several") {
          (target, text) throws(CommandLineError) in target.product = text
        }
      ], readsEnvironment: false)
  }

  /// Builds the program for a server.
  ///
  /// - Returns: The exit status of the build.
  func build(_ words: [String]) throws -> Int32 {
    var options = BuildOptions()
    try Self.parser.parse(words, environment: [:], into: &options)
    let product = try options.product ?? onlyProgram()
    let status = try run([
      "swift", "build", "--configuration", "release", "--static-swift-stdlib", "--product", product,
    ])
    if status == 0 { write("built .build/release/\(product)") }
    return status
  }

  /// Builds the program as it is debugged, and has it check its pages.
  ///
  /// - Returns: The exit status of the build, or of the check.
  func check(_ words: [String]) throws -> Int32 {
    let product = try onlyProgram()
    // What the build says goes to standard error, so that editors read the findings alone.
    let status = try run(["swift", "build", "--product", product], output: .standardError)
    guard status == 0 else { return status }
    return try run([folder + "/.build/debug/" + product, "check"] + words)
  }

  /// The package's only executable product.
  private func onlyProgram() throws -> String {
    guard FileManager.default.fileExists(atPath: folder + "/Package.swift") else {
      throw ToolError("there is no Package.swift in \(folder); go to the folder of the package.")
    }
    let pipe = Pipe()
    let status = try run(
      ["swift", "package", "show-executables", "--format", "json"], output: pipe.fileHandleForWriting
    ) { try pipe.fileHandleForReading.readToEnd() ?? Data() }
    guard status.0 == 0, let text = status.1 else {
      throw ToolError("SwiftPM does not understand Package.swift; it says above why.")
    }
    let names = try Self.programs(in: text)
    guard let name = names.first, names.count == 1 else {
      throw ToolError(
        names.isEmpty
          ? "the package has no program; Package.swift needs an executableTarget."
          : "the package has several programs; name one by --product: \(names.joined(separator: ", ")).")
    }
    return name
  }

  /// The package's own programs among those that SwiftPM lists; dependencies name their package.
  static func programs(in list: Data) throws -> [String] {
    struct Program: Decodable {
      let name: String
      let package: String?
    }
    return try JSONDecoder().decode([Program].self, from: list).filter { $0.package == nil }.map(\.name)
  }

  private func run(_ words: [String], output: FileHandle = .standardOutput) throws -> Int32 {
    try run(words, output: output) { Data() }.0
  }

  /// Runs a program in the package's folder.
  ///
  /// - Parameters:
  ///   - words: The program, found by `PATH`, and its arguments.
  ///   - output: Takes its standard output.
  ///   - read: Reads while it runs.
  /// - Returns: Its exit status, and what was read.
  /// - Throws: If there is no such program.
  private func run(
    _ words: [String], output: FileHandle, reading read: () throws -> Data
  ) throws -> (Int32, Data?) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.standardOutput = output
    try process.run()
    if output !== FileHandle.standardOutput, output !== FileHandle.standardError { try output.close() }
    let data = try read()
    process.waitUntilExit()
    return (process.terminationStatus, data)
  }
}
