// SPDX-License-Identifier: Apache-2.0
import Musubi

/// Commands in the folder of a package: they have SwiftPM build its program.
struct PackageCommand {
  static var helpOfBuild: String {
    """
    \(parser.help)

    With a folder it also writes the pages there as they are sent, with the client's files, for a file server.
    """
  }

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

  /// Builds the program for a server, and has it write its pages if a folder for them comes first.
  ///
  /// - Returns: The exit status of the build, or of the writing.
  func build(_ words: [String]) throws -> Int32 {
    var options = BuildOptions()
    let pages = words.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
    try Self.parser.parse(pages == nil ? words : Array(words.dropFirst()), environment: [:], into: &options)
    let program = try ProgramOfPackage(in: folder, named: options.product)
    let status = try ChildProcess(
      program.build + ["--configuration", "release", "--static-swift-stdlib"], in: folder
    ).wait()
    guard status == 0 else { return status }
    write("built .build/release/\(program.name)")
    guard let pages else { return 0 }
    return try ChildProcess([program.path(["--configuration", "release"]), "pages", pages], in: folder).wait()
  }

  /// The product that is named among options of another command, and the other words.
  static func product(in words: [String]) -> (name: String?, others: [String]) {
    let option = "--product"
    if let index = words.firstIndex(of: option), words.indices.contains(index + 1) {
      return (words[index + 1], Array(words[..<index] + words[(index + 2)...]))
    }
    guard let index = words.firstIndex(where: { $0.hasPrefix(option + "=") }) else { return (nil, words) }
    var others = words
    return (String(others.remove(at: index).dropFirst(option.count + 1)), others)
  }

  /// Builds the program as it is debugged, and has it check its pages.
  ///
  /// - Parameter words: Options of the program's check, and `--product` if the package has several programs.
  /// - Returns: The exit status of the build, or of the check.
  /// - Throws: `ToolError` if there is no such program.
  func check(_ words: [String]) throws -> Int32 {
    let (product, words) = Self.product(in: words)
    let program = try ProgramOfPackage(in: folder, named: product)
    // What the build says goes to standard error, so that editors read the findings alone.
    let status = try ChildProcess(program.build, in: folder, output: .standardError).wait()
    guard status == 0 else { return status }
    let path = try program.path()
    try EditorNames.refresh(from: path, in: folder)
    return try ChildProcess([path, "check"] + words, in: folder).wait()
  }
}
