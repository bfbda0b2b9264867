// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiScript
import MusubiText

/// A program's command line: finds the command that it names, and carries it out.
struct Program {
  /// What every application can do.
  enum Command: String, CaseIterable {
    case serve, script, check, pages, names, replay, health, store, cluster

    /// What follows the command.
    var parameters: String {
      switch self {
      case .serve, .health, .names: "[OPTION...]"
      case .script: "[OPTION...] FILE-OR-FOLDER... [-- OPTION-OF-SERVE...]"
      case .check: "[--json] [OPTION-OF-SERVE...]"
      case .pages: "FOLDER [OPTION-OF-SERVE...]"
      case .replay: "FILE [--to-test FILE.swift] [OPTION-OF-SERVE...]"
      case .store, .cluster: "VERB [OPTION...]"
      }
    }

    var summary: String {
      switch self {
      case .serve: "Serves the screens until SIGTERM or SIGINT; so does a command line without a command."
      case .script: "Runs test scripts against a server that it starts for each of them."
      case .check: "Tells what is wrong with the pages: names, types, labels, routes."
      case .pages: "Writes the pages as they are sent, for a file server."
      case .names: "Tells the names of all screens, for editors."
      case .replay: "Runs a record of a room, and tells the first turn that differs today."
      case .health: "Asks a server on this machine whether it is well."
      case .store:
        "Shows and lifts what a server no longer runs because it has ended the process, and moves its store."
      case .cluster: "Shows servers that share a database, and has one of them give its rooms away."
      }
    }
  }

  /// The program's name, for messages.
  var name = ProcessInfo.processInfo.processName
  /// What the program itself has set; variables win over it, and arguments over both.
  var configuration = Configuration()
  /// The program's own options.
  var options: [ProgramOption] = []
  let environment: [String: String]
  /// Takes what the command prints.
  var write: @Sendable (String) -> Void = { StandardOutput.write($0 + "\n") }
  /// Takes the sentence of what keeps the command from its work.
  var complain: (String) -> Void = StandardError.write

  /// Does what the arguments say.
  ///
  /// - Parameters:
  ///   - arguments: The words behind the program's name.
  ///   - make: Makes the application, with the configuration that holds now.
  /// - Returns: The exit status: 0, or 1 if the command has failed, or 2 if the command line cannot be used.
  func run(
    _ arguments: [String], making make: (Configuration) async throws -> Application
  ) async -> Int32 {
    do {
      return try await perform(arguments, make)
    } catch {
      complain("\(name): \(error)")
      return error is CommandLineError ? 2 : 1
    }
  }

  private func perform(
    _ arguments: [String], _ make: (Configuration) async throws -> Application
  ) async throws -> Int32 {
    var words = arguments
    if ["--help", "-h", "help"].contains(words.first) {
      write(help)
      return 0
    }
    let command = try takeCommand(from: &words)
    guard words.prefix(while: { $0 != "--" }).allSatisfy({ $0 != "--help" && $0 != "-h" }) else {
      write(help(of: command))
      return 0
    }
    switch command {
    case .serve:
      try await make(
        ServeCommand.configuration(from: words, environment: environment, over: configuration, options)
      ).serve()
      return 0
    case .script: return ScriptCommand.run(arguments: words, output: write)
    case .check:
      let asJSON = CheckCommand.takesJSON(&words)
      let application = try await make(
        ServeCommand.configuration(from: words, environment: environment, over: configuration, options))
      return try CheckCommand.run(application, asJSON: asJSON, write: write)
    case .pages:
      let folder = try PagesCommand.takeFolder(&words)
      let application = try await make(
        ServeCommand.configuration(from: words, environment: environment, over: configuration, options))
      return try PagesCommand.run(application, to: folder, write: write)
    case .names:
      let application = try await make(
        ServeCommand.configuration(from: words, environment: environment, over: configuration, options))
      write(NamesCommand.text(of: try application.checkScreens()))
      return 0
    case .replay:
      let test = try ReplayCommand.takeTest(&words)
      let file = try ReplayCommand.takeFile(&words)
      let application = try await make(
        ServeCommand.configuration(from: words, environment: environment, over: configuration, options))
      return try ReplayCommand.run(
        application, file: file, test: test, module: name, write: write)
    case .health: return try HealthCommand.run(words, environment: environment, write: write)
    case .store:
      try await StoreCommand.run(words, environment: environment, write: write)
      return 0
    case .cluster:
      try await ClusterCommand.run(words, environment: environment, write: write)
      return 0
    }
  }

  private func takeCommand(from words: inout [String]) throws(CommandLineError) -> Command {
    guard let word = words.first, !word.hasPrefix("-") else { return .serve }
    guard let command = Command(rawValue: word) else {
      let nearest = Command.allCases.map(\.rawValue).nearest(to: word).first
      let hint = nearest.map { " (did you mean \($0)?)" } ?? ""
      throw CommandLineError("there is no command \"\(word.prefix(80))\"\(hint); see \(name) --help.")
    }
    words.removeFirst()
    return command
  }

  private var help: String {
    let commands = Command.allCases.map { command in
      "  " + command.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0) + command.summary
    }
    return """
      usage: \(name) [COMMAND] [OPTION...]

      \(commands.joined(separator: "\n"))

      \(name) COMMAND --help tells the options. The exit status is 0, or 1 if the command has failed, or 2 if the command
      line cannot be used.
      """
  }

  private func help(of command: Command) -> String {
    let details =
      switch command {
      case .serve: "Options (default) [environment variable]:\n" + ServeCommand.help(with: options)
      case .script: ScriptCommand.help
      case .check: CheckCommand.help
      case .pages: PagesCommand.help
      case .names: NamesCommand.help
      case .replay: ReplayCommand.help
      case .health: HealthCommand.help
      case .store: StoreCommand.help
      case .cluster: ClusterCommand.help
      }
    return "usage: \(name) \(command) \(command.parameters)\n\n\(command.summary)\n\n\(details)"
  }
}
