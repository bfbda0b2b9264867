// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import Testing

@testable import GalleryModel

/// A quiz, and what all its pages send and see; a tick is a tenth of a second.
private final class Room {
  let scheduler = TestScheduler(initialClock: 0, resolution: 0.1)
  let viewModel: QuizViewModel
  private(set) var scene: QuizScene?
  private(set) var choices: [QuizChoice] = []
  private(set) var table: [QuizStanding] = []
  private(set) var problems: [QuizProblem] = []
  private let hosts = PublishRelay<Sent<Void>>()
  private let names = PublishRelay<Sent<String>>()
  private let joins = PublishRelay<Sent<Void>>()
  private let nexts = PublishRelay<Sent<Void>>()
  private let answers = PublishRelay<Sent<Int>>()
  private let leaves = PublishRelay<Sent<Void>>()
  private let bag = DisposeBag()

  init(_ state: QuizGame? = nil, codes: QuizCodes = QuizCodes()) {
    viewModel = QuizViewModel(room: "tea", codes: codes, clock: scheduler, state: state)
    var inputs = QuizViewModel.Inputs()
    inputs.host = hosts.asSignal()
    inputs.name = names.asSignal()
    inputs.join = joins.asSignal()
    inputs.next = nexts.asSignal()
    inputs.answer = answers.asSignal()
    inputs.leave = leaves.asSignal()
    let outputs = viewModel.bind(inputs)
    bag.insert(
      outputs.scene.drive(onNext: { [unowned self] in scene = $0 }),
      outputs.choices.drive(onNext: { [unowned self] in choices = $0 }),
      outputs.table.drive(onNext: { [unowned self] in table = $0 }),
      outputs.problem.emit(onNext: { [unowned self] in problems.append($0) }))
  }

  static func visitor(_ id: String) -> Visitor {
    Visitor(id: id, displayName: id == "ann" ? "Ann" : id == "bob" ? "Bob" : id)
  }

  func host(_ id: String) { hosts.accept(Sent(by: Self.visitor(id))) }
  func call(_ id: String, _ name: String) { names.accept(Sent(name, by: Self.visitor(id))) }
  func join(_ ids: String...) { for id in ids { joins.accept(Sent(by: Self.visitor(id))) } }
  func next() { nexts.accept(Sent(by: Self.visitor("host"))) }
  func answer(_ id: String, _ row: Int) { answers.accept(Sent(row, by: Self.visitor(id))) }
  func leave(_ id: String) { leaves.accept(Sent(by: Self.visitor(id))) }
  func own(_ id: String) -> [QuizChoice]? {
    viewModel.personalOutputs(for: Self.visitor(id))?.choices
  }
  func wait(_ seconds: Double) { scheduler.advanceTo(scheduler.clock + Int(seconds * 10)) }

  /// Two players and a host, at the first question.
  static func asking() -> Room {
    let room = Room()
    room.host("host")
    room.join("ann", "bob")
    room.next()
    return room
  }
}

@Suite(.timeLimit(.minutes(5))) struct `The quiz` {
  @Test func `has the host who comes first, and players whom only their rights tell apart`() {
    let room = Room()
    #expect(room.scene?.isUnhosted == true)
    room.host("host")
    room.host("ann")
    room.join("bob")

    #expect(room.problems == [.hosted])
    #expect(room.viewModel.roles(of: Visitor(id: "host")) == ["host"])
    #expect(room.viewModel.roles(of: Visitor(id: "bob")) == ["player"])
    #expect(room.viewModel.roles(of: Visitor(id: "ann")) == ["guest"])
    #expect(room.viewModel.roles(of: .anonymous) == [])
    #expect(room.scene?.isWaiting == true)
    #expect(room.scene?.picture == "/quiz/code.svg?room=tea")
    #expect(room.table.map(\.id) == ["Bob"])
    room.next()
    #expect(room.scene?.picture == nil)
  }

  @Test func `refuses a player's forged next, and a guest's answer`() throws {
    let screen = try TestScreen(visitor: Visitor(id: "host")) {
      QuizViewModel(room: "tea", codes: QuizCodes(), clock: TestScheduler(initialClock: 0))
    }
    try screen.tap("host")
    screen.visitor = Visitor(id: "ann", displayName: "Ann")
    #expect(throws: BindingError.self) { try screen.send(1, to: "answer") }
    try screen.tap("join")
    #expect(throws: BindingError.self) { try screen.tap("next") }
    #expect(throws: BindingError.self) { try screen.tap("join") }
    screen.visitor = .anonymous
    #expect(throws: BindingError.self) { try screen.tap("host") }
    screen.visitor = Visitor(id: "host")
    try screen.tap("next")
  }

  @Test func `takes a name that somebody types, and none that is empty, long or taken`() {
    let room = Room()
    room.join("early")
    room.host("host")
    room.join("ann")
    for name in [
      " ANN ", "  ", String(repeating: "long ", count: 9),
      "結び\u{300}" + String(repeating: "\u{300}", count: 40),
    ] {
      room.call("bob", name)
      room.join("bob")
    }
    room.call("bob", "  Bob\nthe  Second ")
    room.join("bob")

    #expect(room.problems == [.unhosted, .takenName, .nameless, .longName])
    #expect(room.table.map(\.id).contains("Ann"))
  }

  @Test func `takes the newest typed names, however many others have typed one and gone`() {
    let room = Room()
    room.host("host")
    for number in 1...1_000 { room.call("guest\(number)", "Guest \(number)") }
    room.call("bob", "Bob the Second")
    room.join("bob", "guest1000")
    #expect(room.table.map(\.id) == ["Bob the Second", "Guest 1000"])

    room.leave("bob")
    room.join("bob")
    #expect(room.table.map(\.id).contains("Bob the Second"), "The field still shows it.")
  }

  @Test func `counts down by the clock, and closes when time is up`() {
    let room = Room.asking()
    #expect(room.scene?.secondsLeft == 20)
    #expect(room.scene?.isOpen == true)
    room.wait(0.9)
    #expect(room.scene?.secondsLeft == 20)
    room.wait(0.2)
    #expect(room.scene?.secondsLeft == 19)
    room.wait(18)
    #expect(room.scene?.secondsLeft == 1)
    #expect(room.scene?.cannotGoOn == true)
    room.wait(1)

    #expect(room.scene?.isClosed == true)
    #expect(room.choices.map(\.isRight) == [false, true, false, false])
    #expect(room.scene?.cannotGoOn == false)
  }

  @Test func `tells nobody an answer before the question is closed`() {
    let room = Room.asking()
    room.answer("ann", 1)
    #expect(room.choices.map(\.votes) == [0, 0, 0, 0])
    #expect(room.choices.allSatisfy { !$0.isRight })
    #expect(room.scene?.answers == 1)
    room.answer("ann", 2)
    room.answer("bob", 1)

    #expect(room.scene?.isClosed == true, "All have answered.")
    #expect(room.choices.map(\.votes) == [0, 1, 1, 0])
    #expect(room.choices.map(\.share) == [0, 50, 50, 0])
  }

  @Test func `shows the host alone how many chose what while the question is open`() {
    let room = Room.asking()
    room.answer("ann", 1)
    #expect(room.own("host")?.map(\.votes) == [0, 1, 0, 0])
    #expect(room.own("host")?.map(\.share) == [0, 100, 0, 0])
    #expect(room.own("host")?.map(\.isCounted) == [true, true, true, true])
    for id in ["ann", "bob", "cem"] {
      #expect(room.own(id)?.map(\.votes) == [0, 0, 0, 0])
      #expect(room.own(id)?.contains { $0.isCounted || $0.isRight } == false)
    }
    room.answer("bob", 1)
    #expect(room.own("bob")?.map(\.votes) == [0, 2, 0, 0])
  }

  @Test func `marks one's own answer for oneself alone`() {
    let room = Room.asking()
    room.answer("ann", 1)
    #expect(room.own("ann")?.map(\.answer) == [nil, 1, nil, nil])
    #expect(room.own("bob")?.map(\.answer) == [nil, nil, nil, nil])
    #expect(room.choices.map(\.answer) == [nil, nil, nil, nil])
    room.answer("ann", 3)
    #expect(room.own("ann")?.map(\.answer) == [nil, nil, nil, 3])
    room.answer("bob", 0)
    room.next()
    #expect(room.own("ann")?.map(\.id) == [10, 11, 12, 13])
    #expect(room.own("ann")?.contains { $0.answer != nil } == false)
    #expect(room.viewModel.personalOutputs(for: .anonymous) == nil)
  }

  @Test func `has a code while somebody hosts it, the same after a restart, and none when its room has gone`()
    async throws
  {
    let codes = QuizCodes()
    var room: Room? = Room(codes: codes)
    #expect(room?.scene?.code == nil)
    room?.host("host")
    let code = room?.scene?.code ?? ""
    #expect(try await codes.room(of: code) == "tea")
    let stored = room?.viewModel.state
    room = nil
    #expect(try await codes.room(of: code) == nil)

    let other = Room(stored, codes: codes)
    #expect(other.scene?.code == code)
    #expect(try await codes.room(of: code) == "tea")
    other.leave("host")
    #expect(other.scene?.code == nil)
    #expect(try await codes.room(of: code) == nil)
  }

  @Test func `refuses a late answer kindly, and counts none for another question`() {
    let room = Room.asking()
    room.wait(21)
    room.answer("ann", 1)
    room.next()
    room.answer("ann", 1)

    #expect(room.problems == [.late, .late])
    #expect(room.scene?.answers == 0)
  }

  @Test func `gives more points to who is quick, and ends with a table`() {
    let room = Room.asking()
    room.wait(2)
    room.answer("ann", 1)
    room.wait(10)
    room.answer("bob", 1)
    for number in 1..<QuizQuestion.all.count {
      room.next()
      #expect(room.scene?.number == number + 1)
      room.answer("ann", 10 * number + QuizQuestion.all[number].right)
      room.answer("bob", 10 * number)
    }
    room.next()

    #expect(room.scene?.isOver == true)
    #expect(room.table.map(\.id) == ["Ann", "Bob"])
    #expect(room.table.map(\.place) == [1, 2])
    #expect(room.table[0].points ?? 0 > 100)
    #expect(room.table[1].points ?? 0 > 10)

    room.next()
    #expect(room.scene?.isWaiting == true, "The same people may play again.")
    room.next()
    #expect(room.scene?.question == QuizQuestion.all[0].text)
  }

  @Test func `asks nobody, and goes on for those who come late or leave`() {
    let room = Room()
    room.host("host")
    room.next()
    #expect(room.problems == [.alone])
    room.join("ann")
    room.next()
    room.join("bob")
    room.answer("bob", 0)
    #expect(room.scene?.isOpen == true)
    room.leave("ann")

    #expect(room.scene?.isClosed == true, "All who are left have answered.")
    #expect(room.scene?.players == 1)
    room.leave("host")
    #expect(room.scene?.isOver == true)
    #expect(room.scene?.isUnhosted == true)
    room.host("ann")
    #expect(room.scene?.isWaiting == true)
    #expect(room.scene?.players == 0)
  }

  @Test func `goes on after a restart, with the time that is left`() {
    let room = Room.asking()
    room.wait(5)
    room.answer("ann", 1)
    let other = Room(room.viewModel.state)

    #expect(other.scene?.secondsLeft == 20, "The other scheduler begins at 0.")
    #expect(other.scene?.answers == 1)
    #expect(other.viewModel.roles(of: Visitor(id: "host")) == ["host"])
    other.wait(26)
    #expect(other.scene?.isClosed == true)
  }

  @Test func `takes no more players than it can show`() {
    let room = Room()
    room.host("host")
    for number in 0...500 { room.join("player\(number)") }

    #expect(room.problems == [.full])
    #expect(room.scene?.players == 500)
  }
}
