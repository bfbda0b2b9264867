import Musubi
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite struct `A dinner` {
  @Test func `is seen by each guest in a view of their own`() throws {
    let dinner = DinnerModel(dishes: [Dish(id: 1, name: "soup", guest: "bob")])
    let ann = Visitor(id: "ann")
    let screen = try TestScreen(visitor: ann) {
      DinnerViewModel(dinner: Shared(dinner, sender: ann), guest: "ann")
    }

    try screen.type("ramen", into: "name")
    try screen.tap("bring")
    try screen.tap("withdraw", row: "1")
    try screen.send(true, to: "onlyMine")

    #expect(dinner.dishes.value.map(\.name) == ["soup", "ramen"])
    #expect(screen["dishes"]?.contains("soup") == false)
    #expect(screen["summary"] == "2 on the table")
    #expect(screen["problem"] == "Somebody else brings that.")
  }
}
