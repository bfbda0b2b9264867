// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi

/// Serves the examples of the documentation, and tests them by scripts.
@main
struct GuideExamples {
  static func main() async {
    await Application.run { application in
      application.addGuestbook(try Guestbook(.memory))
      application.addSignUp()
      application.addCoffee()
      application.addDoor()
      application.addMatch()
      application.addOrder()
      application.addChores(book: ChoreBook())
      application.addPlan(
        PlanBook(
          ["Write", "Check", "Print"].enumerated().map { .init(id: $0.offset + 1, title: $0.element) }))
      application.addHarbour()
      application.addTrip()
      application.addPacking()
      application.addAlbum()
      application.addBooks()
      application.addDinner()
      application.addChat()
      application.addEntries()
      application.addTickets()
      application.addPoster()
      application.addFerry()
      application.addKiln()
      application.addLetter()
      application.addLobby()
      application.addOrders(OrderBook())
      let data = application.configuration.dataFolder ?? FileManager.default.temporaryDirectory.path
      try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
      try application.addLedger(Ledger(data + "/ledger.sqlite"))
      try application.addPictures(in: data + "/pictures")
      if let folder = application.configuration.dataFolder {
        application.addPhotos(try PhotoBook(in: folder + "/photos"))
      }
    }
  }
}
