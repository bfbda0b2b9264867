// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI
package import MusubiBinding
package import MusubiRx

/// Where the cards of one board are kept; used on the loop of the board's room.
package protocol KeptCards: AnyObject {
  /// The whole board, if the room's state has it.
  var stored: KeptBoard? { get }
  /// Whether the cards have not come yet, because the database is away.
  var isAway: Driver<Bool> { get }
  /// Reads the cards.
  ///
  /// - Parameter show: Takes the cards and the deleted ones, as soon as they are there.
  /// - Throws: The file's error.
  func read(_ show: @escaping (_ there: [Card], _ deleted: [Card]) -> Void) throws
  /// Does something when the cards are there.
  func whenRead(_ change: @escaping () -> Void)
  /// Adds cards; none if the input that adds them comes again.
  func add(_ cards: [(column: Card.Column, place: Double, title: String)]) throws -> [Card]
  /// Keeps cards as they are now.
  func keep(_ cards: [Card]) throws
  /// Deletes a card.
  func delete(_ id: Int, keeping most: Int) throws
  /// Takes a deletion back; false if the input comes again, or the card has gone.
  func restore(_ id: Int) throws -> Bool
  /// A change was made.
  func note(_ there: [Card], _ deleted: [Card])
  /// Somebody still looks at the board.
  func visit() throws
  /// Nobody looks at the board any more, and it has no cards.
  func end() throws
}

/// Cards in a database that is written at once.
package final class CardsInFile: KeptCards {
  private let context: ScreenContext
  private let board: String
  private let api: BoardAPI

  /// The cards of a room's board.
  package init(_ api: BoardAPI, _ context: ScreenContext) {
    (self.api, self.context, board) = (api, context, context.room ?? "")
  }

  package var stored: KeptBoard? { nil }
  package var isAway: Driver<Bool> { .just(false) }

  package func read(_ show: @escaping ([Card], [Card]) -> Void) throws {
    let stored = try context.value("cards") {
      let cards = try api.cards(of: board)
      return [cards.there, cards.deleted]
    }
    show(stored[0], stored[1])
  }

  package func whenRead(_ change: @escaping () -> Void) { change() }

  package func add(_ cards: [(column: Card.Column, place: Double, title: String)]) throws -> [Card] {
    try context.once("added") { try api.add(cards, to: board, by: context.network, once: $0) }
  }

  package func keep(_ cards: [Card]) throws { try context.perform("kept") { try api.keep(cards) } }

  package func delete(_ id: Int, keeping most: Int) throws {
    try context.perform("deleted") { try api.delete(id, of: board, keeping: most) }
  }

  package func restore(_ id: Int) throws -> Bool {
    try context.once("restored") { try api.restore(id, once: $0) }
  }

  package func note(_ there: [Card], _ deleted: [Card]) {}
  package func visit() throws { try context.perform("visited") { try api.visit(board) } }
  package func end() throws { try context.perform("ended") { try api.end(board) } }
}
