// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryScreens
import Musubi
import MusubiScript

/// The program `gallery`: `serve` shows the sample screens, `script` tests a server.
@main
struct GalleryCommand {
  private static let usage = """
    Usage: gallery serve [options]
           gallery script [options] FILE...

    serve shows the sample screens; script runs WebSocket tests against them.
    gallery serve --help and gallery script --help tell the options.
    """

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "serve": await serve(Array(arguments.dropFirst()))
    case "script": exit(ScriptCommand.run(arguments: Array(arguments.dropFirst())))
    case "--help", "-h", "help": print(usage)
    case nil: fail("a subcommand is missing: serve or script; see gallery --help.")
    case .some(let word):
      fail("there is no subcommand \"\(word)\"; it is serve or script, see gallery --help.")
    }
  }

  private static func serve(_ arguments: [String]) async {
    do {
      guard
        let configuration = try ServeCommand.configuration(
          from: arguments, environment: ProcessInfo.processInfo.environment)
      else {
        print(
          "Usage: gallery serve [options]\n\nOptions (default), [environment variable]:\n\(ServeCommand.help)"
        )
        return
      }
      var application = Application(configuration: configuration)
      Gallery.addNumber(to: &application)
      try await application.run()
    } catch {
      fail("\(error)")
    }
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("gallery: \(message)\n".utf8))
    exit(1)
  }
}
