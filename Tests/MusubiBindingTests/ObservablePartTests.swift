// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiTesting
import MusubiWire
import Observation
import Testing

@testable import MusubiBinding

@Observable private final class Score {
  var points: Int
  var lives: [String] = []
  init(_ points: Int = 0) { self.points = points }
}

/// Two scores, one of which may not be there, and no state of its own.
@Observable private final class Sides {
  var home: Score
  var guest: Score?
  init(_ home: Score, _ guest: Score? = nil) { (self.home, self.guest) = (home, guest) }
}

/// Sides inside of a screen with a state of its own, and scores in rows.
@Observable private final class Game {
  var title: String
  let sides: Sides
  var rounds: [Round] = []
  init(_ title: String, _ sides: Sides) { (self.title, self.sides) = (title, sides) }
}

@Observable private final class Round: Identifiable {
  let id: Int
  var points = 0
  init(id: Int) { self.id = id }
}

extension Score: ObservableViewModel {
  static var bindings: [PageBinding<Score>] {
    [
      .output("points", \.points), .action("up") { $0.points += 1 },
      .action("viewDidLoad") { $0.lives.append("load") },
      .action("viewDidAppear") { $0.lives.append("appear") },
      .action("viewDidDisappear") { $0.lives.append("disappear") },
    ]
  }
}

extension Score: Restorable { var state: Int { points } }

extension Sides: ObservableViewModel {
  static var bindings: [PageBinding<Sides>] { [.child("home", \.home), .child("guest", \.guest)] }
}

extension Game: ObservableViewModel {
  static var bindings: [PageBinding<Game>] {
    [.output("title", \.title), .child("sides", \.sides), .rows("rounds", \.rounds)]
  }
}

extension Game: Restorable { var state: String { title } }

extension Round: ObservableViewModel {
  static var bindings: [PageBinding<Round>] {
    [.output("points", \.points), .action("viewDidAppear") { $0.points += 100 }]
  }
}

/// Rules of what is inside of a screen.
@Observable private final class Ruled {
  var parts: [RuledPart] = []
  let part = RuledPart()
}

@Observable private final class RuledPart: Identifiable {
  let id = 1
  var name = ""
}

extension Ruled: ObservableViewModel {
  static var bindings: [PageBinding<Ruled>] { [.rows("parts", \.parts), .child("part", \.part)] }
}

extension RuledPart: ObservableViewModel {
  static var bindings: [PageBinding<RuledPart>] { [.field("name", \.name)] }
  static var rules: [InputRule<RuledPart>] { [.allow("name", for: .role("editor"))] }
}

extension Round: Restorable { var state: Int { points } }

@Suite struct `A part of an observable model` {
  private func context(_ stored: Value? = nil) -> ScreenContext {
    var context = ScreenContext(screen: "game", clock: MainScheduler.instance, random: RandomSource(seed: 1))
    context.stored = stored
    return context
  }

  private func screen<Model: ObservableViewModel>(_ model: Model) throws -> ScreenInstance {
    try ScreenInstance("game") { ObservableScreen(model, name: "game") }
  }

  @Test func `has its state stored under its name, at any depth, and restored from there`() throws {
    let stored = try screen(Game("own", Sides(Score(3), Score(4)))).state?.value()
    let restored = context(stored)
    let sides = restored.component("sides")

    #expect(try restored.restored() == "own")
    #expect(try sides.component("home").restored() == 3)
    #expect(try sides.component("guest").restored() == 4)
    #expect(try sides.restored(Int.self) == nil, "The sides have no state of their own.")
  }

  @Test func `makes a screen Restorable that has no state of its own`() throws {
    let screen = try screen(Sides(Score(3)))
    try screen.deliver("homeUp", nil)

    #expect(try context(screen.state?.value()).component("home").restored() == 4)
  }

  @Test func `is stored as the one that is there, and not while none is`() throws {
    let sides = Sides(Score(3))
    let screen = try screen(sides)
    func guest() throws -> Int? { try context(screen.state?.value()).component("guest").restored() }
    #expect(try guest() == nil)

    sides.guest = Score(5)
    #expect(try guest() == 5)
    sides.guest = Score(6)
    #expect(try guest() == 6)
    sides.guest = nil
    #expect(try guest() == nil)
    sides.home = Score(9)
    #expect(try context(screen.state?.value()).component("home").restored() == 9)
  }

  @Test func `is named by its binding, else the screen does not start`() throws {
    func problem(_ path: [String]) -> String {
      let route = ScreenRoute(name: "game", scope: .session) { context in
        var part = context
        for name in path { part = part.component(name) }
        return ObservableScreen(
          Game("", Sides(Score(try part.restored() ?? 0), nil)), name: "game")
      }
      do {
        _ = try route.probe(context())
        return ""
      } catch {
        return "\(error)"
      }
    }

    #expect(problem(["sides", "guest"]) == "", "None is there, but the type says that one may be.")
    #expect(
      problem(["sides", "hme"]) == """
        Screen "game": context.component("sides/hme") is asked for, and no Restorable part of the ViewModel has that name.
        """)
    #expect(problem(["rounds"]).contains("\"rounds\""), "The state of the model that has them holds rows.")
  }

  @Test func `hears of its screen's life, and no page tells it`() throws {
    let sides = Sides(Score())
    let screen = try screen(sides)
    screen.load()
    screen.appear()
    sides.guest = Score()
    screen.disappear()

    #expect(sides.home.lives == ["load", "appear", "disappear"])
    #expect(sides.guest?.lives == ["disappear"])
    #expect(screen.schema.inputs.map(\.name) == ["homeUp", "guestUp"])
    #expect(screen.board.takeProblems() == [])
  }

  @Test func `in a row has no life of a screen`() throws {
    let game = Game("", Sides(Score()))
    game.rounds = [Round(id: 1)]
    let screen = try screen(game)
    screen.appear()

    #expect(game.rounds[0].points == 0)
    #expect(!screen.schema.inputs.contains { $0.name == "viewDidAppear" })
  }

  @Test func `has its rules wherever it is, also in rows`() throws {
    #expect(try screen(Ruled()).rules().permissions.keys.sorted() == ["name", "partName"])

    let ruled = Ruled()
    ruled.parts = [RuledPart()]
    let page = try TestScreen { ruled }
    #expect(throws: (any Error).self) { try page.type("a", into: "partName") }
    #expect(throws: (any Error).self) { try page.type("a", into: "name", row: "1") }
    page.visitor = Visitor(id: "ann", roles: ["editor"])
    try page.type("a", into: "name", row: "1")
    #expect(ruled.parts[0].name == "a")
  }

  @Test func `goes with its screen`() throws {
    weak var left: Score?
    do {
      let sides = Sides(Score())
      left = sides.home
      let screen = try screen(sides)
      screen.appear()
    }

    #expect(left == nil)
  }
}
