// SPDX-License-Identifier: Apache-2.0
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite struct `A record of three people at the ferry` {
  @Test func `the screen ferry shows what it showed on 2026-11-26`() throws {
    let replay = try Replay("ferry.record") { context in
      // As the application makes it.
      FerryView(context, office: HarbourOffice())
    }

    #expect(replay.problem == nil)
  }

  @Test func `another screen is told from it`() throws {
    let replay = try Replay("ferry.record") { _ in DoorView(viewModel: DoorViewModel()) }

    #expect(replay.problem?.contains("before its first event differs") == true)
    #expect(replay.problem?.contains("aboard") == true)
  }
}
