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
           gallery store list --data DIR
           gallery health [--port N]

    serve shows the sample screens; script runs WebSocket tests against them; store shows and lifts what a server with a
    data folder no longer runs because it has ended the process again and again; health asks whether a server is well.
    gallery SUBCOMMAND --help tells the options.
    """

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "serve": await serve(Array(arguments.dropFirst()))
    case "script": exit(ScriptCommand.run(arguments: Array(arguments.dropFirst())))
    case "store": await store(Array(arguments.dropFirst()))
    case "health": exit(HealthCommand.run(Array(arguments.dropFirst())))
    case "--help", "-h", "help": print(usage)
    case nil: fail("a subcommand is missing: serve, script, store or health; see gallery --help.")
    case .some(let word):
      fail("there is no subcommand \"\(word)\"; it is serve, script, store or health, see gallery --help.")
    }
  }

  private static func store(_ arguments: [String]) async {
    do {
      guard try await !StoreCommand.run(arguments, environment: ProcessInfo.processInfo.environment) else {
        return
      }
      print("Usage: gallery store VERB [options]\n\n\(StoreCommand.help)")
    } catch {
      fail("\(error)")
    }
  }

  private static func serve(_ arguments: [String]) async {
    do {
      let environment = ProcessInfo.processInfo.environment
      var arguments = arguments
      let search = try takeSearch(from: &arguments, environment: environment)
      let contentsLimit = try takeContentsLimit(from: &arguments, environment: environment)
      guard let configuration = try ServeCommand.configuration(from: arguments, environment: environment)
      else {
        print(
          """
          Usage: gallery serve [options]

          Options (default), [environment variable]:
          \(ServeCommand.help)
            --search PLACE          local or wikipedia: where the search screen searches (local) [MUSUBI_SEARCH]
            --wikipedia URL         which one (https://en.wikipedia.org) [MUSUBI_WIKIPEDIA]
            --contents-limit MIB    how large the contents' database may become (no limit) [MUSUBI_CONTENTS_LIMIT]
          """)
        return
      }
      var application = Application(configuration: configuration)
      try await Gallery.addScreens(to: &application, search: search, dataLimit: contentsLimit)
      Gallery.addLogIn(to: &application)
      try await application.serve()
    } catch {
      fail("\(error)")
    }
  }

  /// Takes the gallery's own options out of the arguments; the rest is the server's.
  private static func takeSearch(
    from arguments: inout [String], environment: [String: String]
  ) throws(CommandLineError) -> Gallery.Search {
    let place = try take("--search", from: &arguments) ?? environment["MUSUBI_SEARCH"] ?? "local"
    let address =
      try take("--wikipedia", from: &arguments) ?? environment["MUSUBI_WIKIPEDIA"]
      ?? "https://en.wikipedia.org"
    guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host() != nil else {
      throw CommandLineError(
        "--wikipedia takes an address such as https://ja.wikipedia.org, but \"\(address.prefix(80))\" came.")
    }
    switch place {
    case "local": return .local
    case "wikipedia": return .wikipedia(url)
    default:
      throw CommandLineError("--search takes local or wikipedia, but \"\(place.prefix(80))\" came.")
    }
  }

  private static func takeContentsLimit(
    from arguments: inout [String], environment: [String: String]
  ) throws(CommandLineError) -> Int? {
    guard let text = try take("--contents-limit", from: &arguments) ?? environment["MUSUBI_CONTENTS_LIMIT"]
    else {
      return nil
    }
    guard let limit = Int(text), (1...1_000_000).contains(limit) else {
      throw CommandLineError("--contents-limit takes 1 to 1000000 MiB, but \"\(text.prefix(80))\" came.")
    }
    return limit
  }

  /// Takes an option's value, written as `--name value` or `--name=value`; nil if it is not there.
  private static func take(
    _ name: String, from arguments: inout [String]
  ) throws(CommandLineError) -> String? {
    if let index = arguments.firstIndex(where: { $0.hasPrefix(name + "=") }) {
      return String(arguments.remove(at: index).dropFirst(name.count + 1))
    }
    guard let index = arguments.firstIndex(of: name) else { return nil }
    guard index + 1 < arguments.count else { throw CommandLineError("\(name) needs a value: \(name) VALUE.") }
    defer { arguments.removeSubrange(index...(index + 1)) }
    return arguments[index + 1]
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("gallery: \(message)\n".utf8))
    exit(1)
  }
}
