// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for the environment alone.
public import Foundation
import Glibc

extension Application {
  /// Does what the program's command line says, as a program's last line.
  ///
  /// The commands are `serve`, `script`, `check`, `pages`, `names`, `replay`, `health`, `store` and `cluster`.
  /// Without a command it serves until SIGTERM or SIGINT. Options and environment variables win over `configuration`, and
  /// sockets that systemd hands over over both. `--help` tells the commands, and the options of each.
  ///
  /// What keeps the command from its work ends the process after one sentence on standard error: with status 2 if the
  /// command line cannot be used, else with 1. Use `serve()` to handle it yourself.
  ///
  /// - Parameters:
  ///   - arguments: The words behind the program's name.
  ///   - environment: The process's environment; each option is also a variable, `MUSUBI_PORT` for `--port`.
  public func run(
    _ arguments: [String] = Array(CommandLine.arguments.dropFirst()),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) async {
    let program = Program(configuration: configuration, environment: environment)
    let status = await program.run(arguments) { configuration in
      var application = self
      application.configuration = configuration
      return application
    }
    if status != 0 { exit(status) }
  }

  /// The same for a program whose screens need what its command line says, or time to be made.
  ///
  /// ```swift
  /// await Application.run { application in
  ///   let book = try await ChoreBook(folder: application.configuration.dataFolder)
  ///   application.screen("chores", page: "chores.html") { _ in ChoresViewModel(book: book) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - arguments: The words behind the program's name.
  ///   - environment: The process's environment.
  ///   - options: Options of the program's own; their values are in `configuration.programOptions`.
  ///   - addScreens: Adds the screens if the command needs them; its error ends the process as well.
  public static func run(
    _ arguments: [String] = Array(CommandLine.arguments.dropFirst()),
    environment: [String: String] = ProcessInfo.processInfo.environment, options: [ProgramOption] = [],
    screens addScreens: (inout Application) async throws -> Void
  ) async {
    let status = await Program(options: options, environment: environment).run(arguments) { configuration in
      var application = Application(configuration: configuration)
      try await addScreens(&application)
      return application
    }
    if status != 0 { exit(status) }
  }
}
