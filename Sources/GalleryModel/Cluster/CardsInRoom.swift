// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI
package import MusubiBinding
package import MusubiRx

/// Cards in the state of their room, which goes with it from server to server; and for when the room has gone, in a database
/// that is written a bit later.
package final class CardsInRoom: KeptCards {
  private let context: ScreenContext
  private let archive: BoardArchive
  /// nil before the cards have come.
  package private(set) var stored: KeptBoard?
  private let away = BehaviorRelay(value: false)
  private var waiting: [() -> Void] = []

  /// The cards of a room.
  ///
  /// - Parameters:
  ///   - archive: Where they are when there is no room.
  ///   - context: The screen's.
  ///   - stored: What the room's state has; nil if it begins.
  package init(_ archive: BoardArchive, _ context: ScreenContext, _ stored: KeptBoard?) {
    (self.archive, self.context, self.stored) = (archive, context, stored?.goingOn())
  }

  package var isAway: Driver<Bool> { away.asDriver() }

  package func read(_ show: @escaping ([Card], [Card]) -> Void) {
    if let stored {
      show(stored.there, stored.deleted)
      return note(stored.there, stored.deleted)
    }
    let board = context.room ?? ""
    context.task { [weak self, context, archive] in
      while !Task.isCancelled {
        do {
          let read = try await context.value("board") { try await archive.board(board) }
          return self?.begin(read.goingOn(), show) ?? ()
        } catch {
          if self?.away.value == false {
            context.report(error)
            self?.away.accept(true)
          }
          try? await Task.sleep(for: .milliseconds(500))
        }
      }
    }
  }

  private func begin(_ board: KeptBoard, _ show: ([Card], [Card]) -> Void) {
    stored = board
    show(board.there, board.deleted)
    if away.value { away.accept(false) }
    waiting.forEach { $0() }
    waiting = []
  }

  /// Until the cards are there, an input is not acknowledged.
  package func whenRead(_ change: @escaping () -> Void) {
    guard stored == nil else { return change() }
    let effect = context.beginEffect()
    waiting.append {
      change()
      effect.finish()
    }
  }

  package func add(_ cards: [(column: Card.Column, place: Double, title: String)]) throws -> [Card] {
    let isFull = context.value("isFull") { archive.isFull(for: context.room ?? "") }
    guard !isFull, let first = stored?.next else {
      throw ContentsError(.diskFull, "The boards have no space for more cards.")
    }
    stored?.next += cards.count
    return cards.enumerated().map {
      Card(first + $0, $1.column, $1.place, $1.title)
    }
  }

  package func keep(_ cards: [Card]) {}
  package func delete(_ id: Int, keeping most: Int) {}
  package func restore(_ id: Int) -> Bool { true }

  package func note(_ there: [Card], _ deleted: [Card]) {
    guard var board = stored else { return }
    board.version += 1
    (board.there, board.deleted) = (there, deleted)
    stored = board
    // Of a board that has never had a card nothing is stored.
    guard board.next > 1 || !there.isEmpty else { return }
    context.perform("archived") { archive.keep(board, as: context.room ?? "", by: context.network) }
  }

  package func visit() {
    if let stored { note(stored.there, stored.deleted) }
  }

  package func end() { note([], []) }
}
