import Foundation
import Musubi
import MusubiScript

@main
struct Tea {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst(2))
    if CommandLine.arguments.dropFirst().first == "script" {
      exit(ScriptCommand.run(arguments: arguments))
    }
    await ServeCommand.run(arguments) { application in
      application.screen("tea", scope: .room, page: "tea.html") { _ in TeaView() }
    }
  }
}
