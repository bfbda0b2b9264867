// SPDX-License-Identifier: Apache-2.0
package import GalleryAPI
package import MusubiRx

/// The cards of a board, of which each page looks at some: those of a column, found by a word.
package struct BoardCards: WindowedRows {
  /// A card as a page shows it.
  package struct Shown: Encodable, Identifiable {
    package let id: Int
    package let title: String
  }

  package let all: [Card]
  private let places: Places

  /// Where each card stands, found out when somebody asks.
  private final class Places {
    var byID: [Int: Int]?
  }

  /// A list of cards.
  ///
  /// - Parameter cards: The cards, in order.
  package init(_ cards: [Card]) {
    all = cards
    places = Places()
  }

  package var count: Int { all.count }

  package func rows(in range: Range<Int>) -> [Shown] { all[range].map { Shown(id: $0.id, title: $0.title) } }

  package func position(of id: Int) -> Int? {
    let byID =
      places.byID ?? Dictionary(all.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    places.byID = byID
    return byID[id]
  }

  package func filtered(by filter: RowsFilter) -> BoardCards {
    let column = Card.Column(rawValue: filter.part)
    let word = Card.fold(filter.word)
    return BoardCards(
      all.filter { card in
        (filter.part.isEmpty || card.column == column) && (word.isEmpty || card.folded.contains(word))
      })
  }
}
