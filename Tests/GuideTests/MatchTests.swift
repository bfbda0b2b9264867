import MusubiRx
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite struct `A match` {
  private let match = MatchViewModel(home: ScoreViewModel.State(points: 2), guest: ScoreViewModel.State())

  @Test func `counts each side by itself, and says who leads`() throws {
    let screen = try TestScreen { match }
    try screen.tap("guestScore")

    #expect(screen["homePoints"] == "2" && screen["guestPoints"] == "1")
    #expect(screen["leader"] == "Home leads")
  }

  @Test func `tells each side that a page has appeared, and no page can`() throws {
    let screen = try TestScreen { match }

    #expect(screen["homeSeen"] == "1" && screen["guestSeen"] == "1")
    #expect(throws: (any Error).self) { try screen.tap("homeViewDidAppear") }
  }
}
