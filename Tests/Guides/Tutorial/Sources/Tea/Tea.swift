import Foundation
import Musubi
import MusubiScript

@main
struct Tea {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst(2))
    switch CommandLine.arguments.dropFirst().first {
    case "script": exit(ScriptCommand.run(arguments: arguments))
    case "health": exit(HealthCommand.run(arguments))
    default:
      await ServeCommand.run(arguments) { application in
        application.screen("tea", scope: .room, page: "tea.html") { _ in TeaView() }
      }
    }
  }
}
