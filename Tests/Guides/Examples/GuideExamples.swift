// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi
import MusubiScript

/// Serves the examples of the documentation, and tests them by scripts.
@main
struct GuideExamples {
  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst(2))
    if CommandLine.arguments.dropFirst().first == "script" {
      exit(ScriptCommand.run(arguments: arguments))
    }
    await ServeCommand.run(arguments) { application in
      application.addGuestbook(try Guestbook(.memory))
      application.addSignUp()
      application.addCoffee()
      application.addDoor()
      application.addMatch()
      application.addChores(book: ChoreBook())
      application.addTrip()
      application.addPacking()
      application.addAlbum()
      application.addBooks()
      application.addDinner()
      application.addOrders(OrderBook())
    }
  }
}
