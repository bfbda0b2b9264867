// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for the environment alone.
public import Foundation

extension ServeCommand {
  /// Serves an application as its command line says, until SIGTERM or SIGINT; `--help` prints the options instead.
  ///
  /// What keeps the server from starting ends the process with status 1, after one sentence on standard error.
  ///
  /// ```swift
  /// await ServeCommand.run(Array(CommandLine.arguments.dropFirst(2))) { application in
  ///   application.screen("tea", scope: .room, page: "tea.html") { _ in TeaView() }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - arguments: The words after `serve`.
  ///   - environment: The process's environment; each option is also a variable, `MUSUBI_PORT` for `--port`.
  ///   - addScreens: Adds the screens; its error ends the process as well.
  public static func run(
    _ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment,
    screens addScreens: (inout Application) async throws -> Void
  ) async {
    do {
      guard let configuration = try configuration(from: arguments, environment: environment) else {
        return print(help)
      }
      var application = Application(configuration: configuration)
      try await addScreens(&application)
      try await application.serve()
    } catch {
      Failure.end(error)
    }
  }
}
