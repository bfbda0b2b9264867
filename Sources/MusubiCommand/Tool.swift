// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi
import MusubiText

/// What keeps a command from its work, as a sentence.
struct ToolError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The tool's command line: finds the command that it names, and carries it out.
struct Tool {
  /// What the tool can do.
  enum Command: String, CaseIterable {
    case new, dev, build, check, bench

    var parameters: String {
      switch self {
      case .new: "NAME [OPTION...]"
      case .dev: "[OPTION...] [-- OPTION-OF-SERVE...]"
      case .build: "[FOLDER-FOR-PAGES] [OPTION...]"
      case .check: "[OPTION-OF-CHECK...]"
      case .bench: "URL SCRIPT [OPTION...]"
      }
    }

    var summary: String {
      switch self {
      case .new: "Writes a package with a screen, its test, its page and a script."
      case .dev:
        "Builds and serves this package; each change of its Swift files replaces the process under its pages."
      case .build: "Builds the program of this package for a server, with the Swift libraries in it."
      case .check: "Builds the program of this package, and has it hold its pages against its screens."
      case .bench: "Has visitors play a script against a server, and tells how long each of its steps takes."
      }
    }
  }

  /// What every application does, and the tool does not.
  static let programCommands: Set = [
    "serve", "script", "pages", "names", "replay", "health", "store", "cluster",
  ]

  /// The folder in which the command works.
  var folder = FileManager.default.currentDirectoryPath
  /// Takes what the command prints.
  var write: (String) -> Void = { StandardOutput.write($0 + "\n") }
  /// Takes the sentence of what keeps the command from its work.
  var complain: (String) -> Void = StandardError.write

  /// Does what the arguments say.
  ///
  /// - Parameter arguments: The words behind the program's name.
  /// - Returns: The exit status: 0, or 1 if the command has failed, or 2 if the command line cannot be used.
  func run(_ arguments: [String]) -> Int32 {
    do {
      return try perform(arguments)
    } catch {
      complain("musubi: \(error)")
      return error is CommandLineError ? 2 : 1
    }
  }

  private func perform(_ arguments: [String]) throws -> Int32 {
    guard let word = arguments.first, !["--help", "-h", "help"].contains(word) else {
      write(Self.help)
      return arguments.isEmpty ? 2 : 0
    }
    guard let command = Command(rawValue: word) else {
      guard !Self.programCommands.contains(word) else {
        throw CommandLineError("\(word) is a command of the program itself: swift run NAME \(word).")
      }
      let nearest = Command.allCases.map(\.rawValue).nearest(to: word).first
      let hint = nearest.map { " (did you mean \($0)?)" } ?? ""
      throw CommandLineError("there is no command \"\(word.prefix(80))\"\(hint); see musubi --help.")
    }
    let words = Array(arguments.dropFirst())
    guard words.prefix(while: { $0 != "--" }).allSatisfy({ $0 != "--help" && $0 != "-h" }) else {
      write(Self.help(of: command))
      return 0
    }
    switch command {
    case .new:
      write(try NewCommand.run(words, in: folder))
      return 0
    case .dev: return try DevCommand.run(words, in: folder, write: write)
    case .build: return try PackageCommand(folder: folder, write: write).build(words)
    case .check: return try PackageCommand(folder: folder, write: write).check(words)
    case .bench: return try BenchCommand.run(words, in: folder, write: write)
    }
  }

  private static var help: String {
    let commands = Command.allCases.map { command in
      "  " + command.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0) + command.summary
    }
    return """
      usage: musubi COMMAND [OPTION...]

      \(commands.joined(separator: "\n"))

      musubi COMMAND --help tells the options. The exit status is 0, or 1 if the command has failed, or 2 if the command
      line cannot be used.
      """
  }

  private static func help(of command: Command) -> String {
    let details =
      switch command {
      case .new: NewCommand.help
      case .dev: DevCommand.help
      case .build: PackageCommand.helpOfBuild
      case .bench: BenchCommand.help
      case .check:
        """
        The options are those of the program's own check: swift run NAME check --help. Before them, --product NAME is the
        program, if the package has several.
        """
      }
    return "usage: musubi \(command) \(command.parameters)\n\n\(command.summary)\n\n\(details)"
  }
}
