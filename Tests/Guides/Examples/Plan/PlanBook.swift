// SPDX-License-Identifier: Apache-2.0
import MusubiRx

/// A stage of a plan, with its cards: a row with rows.
struct Stage: Identifiable, Codable, Equatable {
  /// Something to be done.
  struct Card: Identifiable, Codable, Equatable {
    let id: Int
    var title: String
  }

  let id: String
  let title: String
  var cards: [Card] = []
}

/// The plan of everybody, one instance for all screens on all loops.
final class PlanBook: Sendable {
  private let list: SharedRelay<[Stage]>

  init(_ cards: [Stage.Card] = []) {
    list = SharedRelay(value: [
      Stage(id: "todo", title: "To do", cards: cards), Stage(id: "doing", title: "Doing"),
      Stage(id: "done", title: "Done"),
    ])
  }

  /// The stages, now and after each change.
  var stages: Observable<[Stage]> { list.asObservable() }

  /// Puts a card elsewhere, in its stage or in another one.
  func move(_ move: RowMove<Stage.Card.ID>) {
    list.update { stages in
      guard let to = stages.firstIndex(where: { $0.id == move.list }),
        let from = stages.firstIndex(where: { $0.cards.contains { $0.id == move.id } }),
        let card = stages[from].cards.first(where: { $0.id == move.id })
      else { return }
      if from == to {
        stages[to].cards.apply(move)
      } else if stages[to].cards.insert(card, by: move) {
        stages[from].cards.removeAll { $0.id == move.id }
      }
    }
  }
}
