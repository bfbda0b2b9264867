// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryScreens
import Musubi

/// The program `gallery` shows the sample screens.
@main
struct GalleryCommand {
  static func main() async {
    let options = [
      ProgramOption(
        "search", "PLACE", help: "local or wikipedia: where the search screen searches (local)"),
      ProgramOption("wikipedia", "URL", help: "which one (https://en.wikipedia.org)"),
      ProgramOption(
        "contents-limit", "MIB",
        help: "how large the databases of the contents and of the boards may become, each (no limit)"),
      ProgramOption(
        "docs", "DIR", help: "the documentation as deploy/docs makes it (.build/docs, if it is there)"),
      ProgramOption(
        "sources", "DIR", help: "the checkout whose sources the front page shows (the working folder)"),
      ProgramOption("demo", help: "whoever sees the front page may kill the server (deploy/run --demo)"),
    ]
    await Application.run(options: options) { application in
      let chosen = application.configuration.programOptions
      try await Gallery.addScreens(
        to: &application, search: try search(in: chosen["search"] ?? "local", at: chosen["wikipedia"]),
        dataLimit: try chosen["contents-limit"].map(contentsLimit))
      try Gallery.addLogIn(to: &application)
      try Gallery.addFrontPage(to: &application, sources: chosen["sources"])
      Gallery.addKill(to: &application, isDemo: chosen["demo"] != nil)
      try Gallery.addDocumentation(to: &application, folder: chosen["docs"])
    }
  }

  private static func search(
    in place: String, at address: String?
  ) throws(CommandLineError) -> Gallery.Search {
    let address = address ?? "https://en.wikipedia.org"
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

  private static func contentsLimit(_ text: String) throws(CommandLineError) -> Int {
    guard let limit = Int(text), (1...1_000_000).contains(limit) else {
      throw CommandLineError("--contents-limit takes 1 to 1000000 MiB, but \"\(text.prefix(80))\" came.")
    }
    return limit
  }
}
