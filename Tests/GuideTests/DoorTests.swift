import Testing

@testable import GuideExamples

@Suite struct `A door` {
  @Test func `cannot be pushed open while it is locked`() {
    let door = DoorViewModel()
    var states: [DoorViewModel.State] = []
    door.stateDidUpdate = { states.append($0) }

    door.turnKey()
    door.push()
    door.turnKey()
    door.push()

    #expect(states == [.closed, .locked, .closed, .open])
  }
}
