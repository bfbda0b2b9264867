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
      let environment = ProcessInfo.processInfo.environment
      var arguments = arguments
      let search = try takeSearch(from: &arguments, environment: environment)
      guard let configuration = try ServeCommand.configuration(from: arguments, environment: environment)
      else {
        print(
          """
          Usage: gallery serve [options]

          Options (default), [environment variable]:
          \(ServeCommand.help)
            --search PLACE          local or wikipedia: where the search screen searches (local) [MUSUBI_SEARCH]
          """)
        return
      }
      var application = Application(configuration: configuration)
      try await Gallery.addScreens(to: &application, search: search)
      try await application.run()
    } catch {
      fail("\(error)")
    }
  }

  /// Takes the gallery's own option out of the arguments; the rest is the server's.
  private static func takeSearch(
    from arguments: inout [String], environment: [String: String]
  ) throws(CommandLineError) -> Gallery.Search {
    var place = environment["MUSUBI_SEARCH"] ?? Gallery.Search.local.rawValue
    if let index = arguments.firstIndex(of: "--search") {
      guard index + 1 < arguments.count else {
        throw CommandLineError("--search needs a value: --search local or --search wikipedia.")
      }
      place = arguments[index + 1]
      arguments.removeSubrange(index...(index + 1))
    } else if let index = arguments.firstIndex(where: { $0.hasPrefix("--search=") }) {
      place = String(arguments.remove(at: index).dropFirst("--search=".count))
    }
    guard let search = Gallery.Search(rawValue: place) else {
      throw CommandLineError("--search takes local or wikipedia, but \"\(place.prefix(80))\" came.")
    }
    return search
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("gallery: \(message)\n".utf8))
    exit(1)
  }
}
