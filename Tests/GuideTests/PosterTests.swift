// SPDX-License-Identifier: Apache-2.0
import Musubi
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite struct `A poster` {
  @Test func `hears of what browsers have refused, and keeps few`() throws {
    let screen = try TestScreen(query: [:], visitor: .anonymous) { PosterViewModel($0) }

    for number in 1...4 { try screen.send("img-src https://\(number).example", to: "refused") }

    #expect(screen["refusals"]?.contains("https://1.example") == false)
    #expect(screen["refusals"]?.contains("https://4.example") == true)
  }
}
