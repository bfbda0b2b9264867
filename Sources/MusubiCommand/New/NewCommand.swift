// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi

/// The command that begins an application: `new NAME [OPTION...]`.
struct NewCommand {
  private struct Options {
    var style = Style.inputs
    var musubi: String?
    var url: String?
    var tag: String?
  }

  static var help: String {
    let styles = Style.allCases.map { style in
      "  " + style.rawValue.padding(toLength: 12, withPad: " ", startingAt: 0) + style.summary
    }
    return """
      \(parser.help)

      Styles:
      \(styles.joined(separator: "\n"))

      NAME is a folder to be made here, and the module's name, such as Tea.
      """
  }

  private static var parser: OptionParser<Options> {
    OptionParser(
      command: "new",
      options: [
        Option(name: "style", placeholder: "STYLE", help: "how the ViewModel is written (inputs)") {
          (target, text) throws(CommandLineError) in target.style = try Style.named(text)
        },
        Option(
          name: "musubi", placeholder: "FOLDER",
          help: "Musubi's sources, which the package depends on (those of this program)"
        ) { (target, text) throws(CommandLineError) in target.musubi = text },
        Option(name: "url", placeholder: "URL", help: "a repository of Musubi to depend on instead") {
          (target, text) throws(CommandLineError) in target.url = text
        },
        Option(name: "tag", placeholder: "TAG", help: "the version to depend on, with --url") {
          (target, text) throws(CommandLineError) in target.tag = text
        },
      ], readsEnvironment: false)
  }

  /// Writes a package.
  ///
  /// - Parameters:
  ///   - words: The words behind `new`.
  ///   - base: The folder in which the package's is made.
  ///   - program: The path of the running program.
  /// - Returns: What to do next.
  /// - Throws: `CommandLineError` or `ToolError`; nothing is written then.
  static func run(
    _ words: [String], in base: String, program: String = Bundle.main.executablePath ?? "/proc/self/exe"
  ) throws -> String {
    guard let word = words.first, !word.hasPrefix("--") else {
      throw CommandLineError("new takes a name first, such as musubi new Tea; see musubi new --help.")
    }
    let name = try PackageName(word)
    var options = Options()
    try parser.parse(Array(words.dropFirst()), environment: [:], into: &options)

    let checkout =
      if let path = options.musubi { try Checkout(path, from: base) } else { try Checkout(around: program) }
    let folder = URL(fileURLWithPath: base).resolvingSymlinksInPath().appendingPathComponent(name.module).path
    if let problem = FolderWriter.problem(of: folder) { throw ToolError(problem) }
    let source = try source(options, checkout, folder)
    guard source.identity.lowercased() != name.module.lowercased() else {
      throw CommandLineError(
        "SwiftPM tells packages apart by their folders, and that of Musubi is called \(source.identity), too; "
          + "choose another name.")
    }
    let package = NewPackage(name: name, style: options.style, source: source, folder: folder)
    try FolderWriter.write(try package.files(from: checkout), to: folder)
    return package.farewell
  }

  private static func source(
    _ options: Options, _ checkout: Checkout, _ folder: String
  ) throws(CommandLineError) -> MusubiSource {
    guard let url = options.url else {
      guard options.tag == nil else { throw CommandLineError("--tag needs --url, the repository's address.") }
      // Who writes an absolute path wants it to stay one.
      let isAbsolute = options.musubi?.hasPrefix("/") == true
      return .folder(
        isAbsolute ? checkout.folder : FolderPlace.way(from: folder, to: checkout.folder),
        name: checkout.identity, context: FolderPlace.around(folder, checkout.folder))
    }
    guard let tag = options.tag else {
      throw CommandLineError("--url needs --tag, the version to depend on.")
    }
    for (option, text) in [("--url", url), ("--tag", tag)] {
      let isPlain = text.unicodeScalars.allSatisfy { $0.value > 32 && $0 != "\"" && $0 != "\\" }
      guard isPlain, !text.isEmpty else {
        throw CommandLineError(
          "\(option) takes an address without spaces and quotes, but \"\(text.prefix(80))\" came.")
      }
    }
    return .repository(url, tag: tag)
  }
}
