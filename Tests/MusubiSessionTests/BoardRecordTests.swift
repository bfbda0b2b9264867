// SPDX-License-Identifier: Apache-2.0
import GalleryAPI
import MusubiBinding
import MusubiRx
import MusubiText
import MusubiWire
import Testing

@testable import GalleryModel
@testable import MusubiSession

/// The board as an author changes it by mistake: it offers to bring back the card that was deleted first.
private final class PlantedBoard: InputOutputViewModel {
  private let board: BoardViewModel
  private var first: [BoardViewModel.Deleted] = []

  init(_ board: BoardViewModel) { self.board = board }

  func bind(_ inputs: BoardViewModel.Inputs) -> BoardViewModel.Outputs {
    let outputs = board.bind(inputs)
    let deleted = outputs.deleted.map { [unowned self] last in
      if first.isEmpty { first = last }
      return last.isEmpty ? [] : first
    }
    return BoardViewModel.Outputs(
      cards: outputs.cards, deleted: deleted, people: outputs.people, isFull: outputs.isFull,
      isEmpty: outputs.isEmpty, hasFailed: outputs.hasFailed, isAway: outputs.isAway)
  }
}

@Suite struct `A record of three pages at the board` {
  private func board(_ api: BoardAPI) -> ScreenRoute {
    ScreenRoute(name: "board", scope: .room) { context in
      InputOutputScreen(try BoardViewModel(context, CardsInFile(api, context), state: nil), name: "board")
    }
  }

  /// Three people add, name, move, delete and take back cards.
  private func recorded() throws -> String {
    let room = try RecordedRoom(board(try BoardAPI(folder: nil)))
    for member in 1...3 { room.join(member, at: member) }
    room.run(at: 10, .tap("add", 1, 1))
    room.run(at: 20, .tap("add", 2, 1), .tap("add", 3, 1))
    room.run(at: 30, named(2, member: 1, number: 2, "milk"), named(3, member: 2, number: 2, "bread"))
    room.run(
      at: 40,
      .input(
        member: 3, number: 2, name: "move", row: ["2"], value: ["before": .null, "list": ["cards/doing"]]))
    room.run(at: 50, .input(member: 1, number: 3, name: "delete", row: ["2"], value: nil))
    room.run(at: 60, .input(member: 2, number: 3, name: "delete", row: ["3"], value: nil))
    room.run(at: 70, .input(member: 3, number: 3, name: "undo", row: ["3"], value: nil))
    room.run(at: 6_000)
    return room.text
  }

  private func named(_ card: Int, member: Int, number: Int, _ title: String) -> RoomEvent {
    .input(member: member, number: number, name: "title", row: ["\(card)"], value: .string(title))
  }

  private func replay(_ record: String, _ route: ScreenRoute) throws -> RoomReplay.Report {
    try RoomReplay(record: record).run(SessionConfiguration(), models: ModelProbe(), route.make)
  }

  @Test func `is the same in a program that is the same, whatever its database has`() throws {
    let record = try recorded()
    let today = try BoardAPI(folder: nil)
    _ = try today.add([(.todo, 0, "today's")], to: "a", once: "today")

    let report = try replay(record, board(today))

    #expect(report.description.contains("turns are the same"), "\(report.description)")
    // A replay writes nothing.
    #expect(try today.cards(of: "a").there.map(\.title) == ["today's"])
  }

  @Test func `finds a planted change, with its turn`() throws {
    let record = try recorded()
    let api = try BoardAPI(folder: nil)
    let planted = ScreenRoute(name: "board", scope: .room) { context in
      InputOutputScreen(
        PlantedBoard(try BoardViewModel(context, CardsInFile(api, context), state: nil)), name: "board")
    }

    let report = try replay(record, planted)

    let told = report.description
    #expect(told.contains("is the first that differs, 0.06"), "\(told)")
    #expect(told.contains("deleted") && told.contains("bread"), "\(told)")
  }
}
