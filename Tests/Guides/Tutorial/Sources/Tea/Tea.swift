import Foundation
import Musubi
import MusubiScript

@main
struct Tea {
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
    application.screen("tea", scope: .room, page: "tea.html") { _ in TeaView() }
    try await application.run()
  }
}
