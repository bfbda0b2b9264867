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

  /// Builds the program as it is debugged, and has it check its pages.
  ///
  /// - Returns: The exit status of the build, or of the check.
  func check(_ words: [String]) throws -> Int32 {
    let program = try ProgramOfPackage(in: folder)
    // What the build says goes to standard error, so that editors read the findings alone.
    let status = try ChildProcess(program.build, in: folder, output: .standardError).wait()
    guard status == 0 else { return status }
    let path = try program.path()
    try EditorNames.refresh(from: path, in: folder)
    return try ChildProcess([path, "check"] + words, in: folder).wait()
  }
}
