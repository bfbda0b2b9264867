// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryScreens
import Musubi

/// `musubi-breakable serve [options]` and `store`: the gallery, and screens that count exactly, crash, burn time or wait in vain.
///
/// For tests that break a server on purpose; nobody serves these screens.
@main
struct BreakableCommand {
  static func main() async {
    do {
      let arguments = Array(CommandLine.arguments.dropFirst(2))
      let environment = ProcessInfo.processInfo.environment
      if CommandLine.arguments.dropFirst().first == "store" {
        if try await !StoreCommand.run(arguments, environment: environment) { print(StoreCommand.help) }
        return
      }
      guard var configuration = try ServeCommand.configuration(from: arguments, environment: environment)
      else {
        print(ServeCommand.help)
        return
      }
      configuration.countsLoopback = environment["MUSUBI_COUNTS_LOOPBACK"] != nil
      var application = Application(configuration: configuration)
      try await Gallery.addScreens(to: &application)
      BreakableScreens.add(to: &application)
      try await application.serve()
    } catch {
      FileHandle.standardError.write(Data("musubi-breakable: \(error)\n".utf8))
      exit(1)
    }
  }
}
