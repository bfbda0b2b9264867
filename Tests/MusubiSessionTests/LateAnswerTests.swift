// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

@Suite struct `A page of whom it is not known yet who it is` {
  /// A page that has left a stack of two screens.
  private func pageThatLeft(_ house: House) -> RawPage {
    house.pageThatLeft("hall", query: ["room": "attic"], as: "ann", tapping: "next")
  }

  @Test(arguments: 1..<20 as Range<UInt64>) func `is answered in the order of its frames, once that is known`(
    _ seed: UInt64
  ) {
    let house = House(.slow, seed: seed)
    let page = pageThatLeft(house)
    page.mark()

    page.resume(["room": "attic"])
    page.send(#"{"ping":7}"#)
    page.send(#"{"input":2,"name":"tap","screen":0}"#)
    page.send(#"{"ping":8}"#)
    house.settle()

    #expect(page.new.first?["resumed"] != nil)
    #expect(page.new.compactMap { $0["pong"] } == [7, 8])
    #expect(page.last("error") == nil)
    #expect(page.new.contains { $0["ack"] == 2 })
    #expect(page.isUp)
  }

  @Test(arguments: Kind.allCases) func `may go before that, and continue its session later`(_ kind: Kind) {
    let house = House(kind)
    let page = pageThatLeft(house)
    house.network.answerDelay = { .seconds(3) }
    for pause in [1, 4, 7] {
      page.resume(["room": "attic"])
      page.send(#"{"ping":7}"#)
      house.settle(.seconds(pause))
      page.link?.drop()
      house.settle(.seconds(20))
    }
    page.mark()

    page.resume(["room": "attic"])
    house.settle(.seconds(20))

    #expect(page.new.first?["resumed"] != nil)
    #expect(house.network.openLinks.count == 1)
  }

  @Test(arguments: Kind.allCases) func `is asked again if its visitor was signed out meanwhile`(_ kind: Kind)
  {
    let house = House(kind)
    house.network.answerDelay = { .seconds(1) }
    let page = RawPage(house.network, "who", as: "ann")
    house.settle(.milliseconds(500))
    for loop in house.loops { loop.endSessions(of: SignedOut("ann")) { _ in } }
    house.settle(.seconds(2))

    #expect(page.closeCode == 4005)
    #expect(page.values.isEmpty)
  }

  @Test(arguments: Kind.allCases) func `keeps its session if nobody can say which screens it may see`(
    _ kind: Kind
  ) {
    let house = House(kind)
    let page = pageThatLeft(house)
    house.door.silent = ["ann detail"]
    page.resume(["room": "attic"])
    house.settle()
    #expect(page.closeCode == 4002)

    house.door.silent = []
    page.mark()
    page.resume(["room": "attic"])
    house.settle()
    #expect(page.new.first?["resumed"] != nil)
    #expect(page.new.contains { $0["screens"] != nil })
  }
}
