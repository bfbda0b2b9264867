import Musubi
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite(.timeLimit(.minutes(5))) struct `An album` {
  @Test func `develops its pictures`() async throws {
    let screen = try TestScreen(query: [:]) { context in AlbumViewModel(context) { _ in } }
    try screen.tap("develop")
    await screen.settle()

    #expect(screen["pictures"] == "12")
    #expect(screen["work.state"] == "done" && screen["work.fraction"] == "1")
  }

  @Test func `stops when somebody cancels, and goes on from there`() async throws {
    let screen = try TestScreen(query: [:]) { context in
      AlbumViewModel(context, stored: AlbumViewModel.State(pictures: 6)) { _ in
        try await Task.sleep(for: .seconds(600))
      }
    }
    try screen.tap("develop")
    #expect(screen["work.fraction"] == "0.5" && screen["work.message"] == "Picture 7 of 12")

    try screen.tap("cancel")
    await screen.settle()
    #expect(screen["work.state"] == "cancelled" && screen["pictures"] == "6")
  }

  @Test func `goes on by itself after the server's process has ended`() async throws {
    let stored = AlbumViewModel.State(pictures: 6, work: TaskProgress(.running, fraction: 0.5))
    let screen = try TestScreen(query: [:]) { context in
      AlbumViewModel(context, stored: stored) { picture in #expect(picture > 6) }
    }
    await screen.settle()

    #expect(screen["pictures"] == "12")
  }

  @Test func `tells why it has failed`() async throws {
    struct NoFixer: Error {}
    let screen = try TestScreen(query: [:]) { context in AlbumViewModel(context) { _ in throw NoFixer() } }
    try screen.tap("develop")
    await screen.settle()

    #expect(screen["work.state"] == "failed" && screen["work.message"] == "NoFixer()")
  }
}
