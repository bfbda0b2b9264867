import MusubiTesting
import Testing

@testable import GuideExamples

@Suite struct `An order` {
  private let order = OrderViewModel()

  @Test func `counts the cups of its pots`() throws {
    let screen = try TestScreen { order }
    try screen.tap("add", row: "Sencha")
    try screen.tap("add", row: "Darjeeling")
    try screen.tap("more", row: "2")
    #expect(screen["total"] == "3")

    try screen.send("hot", to: "wish", row: "1")
    #expect(screen["pots"]?.contains(#""name":"Sencha","cups":1,"wish":"hot""#) == true)

    try screen.tap("remove", row: "1")
    #expect(screen["total"] == "2")
    #expect(throws: (any Error).self) { try screen.tap("more", row: "1") }
  }
}
