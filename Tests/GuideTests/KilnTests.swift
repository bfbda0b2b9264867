import Musubi
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite struct `A kiln` {
  @Test func `draws its temperature ten times a second`() throws {
    let clock = TestScheduler(initialClock: 0, resolution: 0.1)
    let screen = try TestScreen { KilnViewModel(clock: clock) { Double($0) } }
    #expect(screen["temperatureLine.isEmpty"] == "true")

    clock.advanceTo(3)

    #expect(screen["temperatureLine.p0"] == "0,0 1,1 2,2")
    #expect(screen["temperatureLine.high"] == "2 °C")
  }

  @Test func `shows as a bar what was fired`() throws {
    let screen = try TestScreen { KilnViewModel(clock: TestScheduler(initialClock: 0)) { _ in 0 } }

    try screen.tap("fire")

    #expect(screen["potsBars"]?.contains(#""text":"1","width":"33.33""#) == true)
  }
}
