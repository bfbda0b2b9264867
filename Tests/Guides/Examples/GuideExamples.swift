// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi
import MusubiScript

/// Serves the examples of the documentation, and tests them by scripts.
@main
struct GuideExamples {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst(2))
    if CommandLine.arguments.dropFirst().first == "script" {
      exit(ScriptCommand.run(arguments: arguments))
    }
    let environment = ProcessInfo.processInfo.environment
    guard let configuration = try ServeCommand.configuration(from: arguments, environment: environment) else {
      return print(ServeCommand.help)
    }
    var application = Application(configuration: configuration)
    application.addSignUp()
    application.addCoffee()
    application.addDoor()
    application.addChores(book: ChoreBook())
    application.addTrip()
    try await application.run()
  }
}
