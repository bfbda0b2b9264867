import Musubi
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite struct `A letter` {
  private let ann = Visitor(id: "a", displayName: "Ann")
  private let bob = Visitor(id: "b", displayName: "Bob")

  @Test func `tells who is there and who writes`() throws {
    let clock = TestScheduler(initialClock: 0)
    let screen = try TestScreen(query: [:], visitor: ann, clock: clock) { context in
      LetterViewModel(presence: context.presence)
    }
    #expect(screen["summary"] == "1 person here.")

    screen.enter(bob)
    screen.visitor = bob
    try screen.type("Dear", into: "letter")
    #expect(screen["summary"] == "2 people here. Writing: Bob.")

    clock.advanceTo(5)
    #expect(screen["summary"] == "2 people here.")
    screen.leave(bob)
    #expect(screen["summary"] == "1 person here.")
  }

  @Test func `shows who is idle`() throws {
    let clock = TestScheduler(initialClock: 0)
    let screen = try TestScreen(query: [:], visitor: ann, clock: clock) { context in
      LetterViewModel(presence: context.presence)
    }

    clock.advanceTo(76)

    #expect(screen["people"]?.contains(#""isIdle":true"#) == true)
  }

  @Test func `has a ViewModel that needs no screen`() {
    let people = [Presence.Person(id: "1", visitor: ann, typing: "letter"), Presence.Person(id: "2")]
    let outputs = LetterViewModel(presence: .just(Presence(people, count: 120)))
      .bind(LetterViewModel.Inputs())
    var summary = ""

    outputs.summary.drive(onNext: { summary = $0 }).dispose()

    #expect(summary == "120 people here. Writing: Ann.")
  }

  @Test func `is followed by a lobby`() throws {
    func lobby() throws -> TestScreen {
      try TestScreen(query: [:], visitor: ann) {
        LobbyViewModel(
          left: $0.presence(in: "left", of: "letter"), right: $0.presence(in: "right", of: "letter"))
      }
    }
    let screen = try lobby()
    #expect(screen["left"] == "free")

    screen.setPresence(Presence([Presence.Person(id: "1", visitor: bob)]), in: "left", of: "letter")
    #expect(screen["left"] == "Bob" && screen["right"] == "free")
    screen.setPresence(.nobody, in: "left", of: "letter")
    #expect(screen["left"] == "free")
    #expect(try lobby()["left"] == "free")
  }

  @Test func `is as well an observable class, or a View with outlets`() throws {
    let model = try TestScreen(query: [:], visitor: ann) { LetterModel(presence: $0.presence) }
    model.enter(bob)
    #expect(model["names"] == "Ann, Bob")
    model.leave(ann)
    #expect(model["names"] == "Bob")

    let view = try TestScreen(query: [:], visitor: ann) { LetterView(presence: $0.presence) }
    view.enter(bob)
    #expect(view["people"]?.contains(#""name":"Bob""#) == true)
  }
}
