// SPDX-License-Identifier: Apache-2.0

/// A long list of which each page gets only the rows that it shows.
///
/// ```swift
/// struct Entries: WindowedRows {
///   let store: EntryStore
///
///   var count: Int { store.count }
///   func rows(in range: Range<Int>) throws -> [Entry] { try store.entries(in: range) }
///   func position(of id: Int) throws -> Int? { try store.position(of: id) }
/// }
/// let entries: Driver<Entries>
/// ```
///
/// An element says that rows may have changed; pages are told what differs. Rows that are in memory already make a `RowArray`.
public protocol WindowedRows<Row> {
  /// A row; its id stays the same wherever the row stands.
  associatedtype Row: Encodable & Identifiable where Row.ID: Codable

  /// How many rows there are.
  var count: Int { get }

  /// Reads rows, on the loop: quickly, and only these.
  ///
  /// - Parameter range: Places from 0 to `count`.
  /// - Returns: The rows, in order.
  /// - Throws: Why they cannot be read: pages keep those that they have, and the log tells.
  func rows(in range: Range<Int>) throws -> [Row]

  /// Where a row stands.
  ///
  /// - Parameter id: The row's.
  /// - Returns: Its place; nil if it is not there.
  /// - Throws: Why it cannot be found out: it counts as not there, and the log tells.
  func position(of id: Row.ID) throws -> Int?

  /// Some of the rows, in the same order, for a page that asks for a part of them (`data-window="done"`) or by a word
  /// (`data-window-filter`). Lists that filter nothing leave it out.
  ///
  /// ```swift
  /// func filtered(by filter: RowsFilter) -> Cards {
  ///   Cards(all.filter { filter.includes(part: $0.column) && filter.finds($0.title) })
  /// }
  /// ```
  ///
  /// Called once for each filter in use with each element of the output, and when a page asks for another one, on the loop.
  ///
  /// - Parameter filter: What the page asks for; its part and its word are anybody's.
  /// - Returns: The rows.
  func filtered(by filter: RowsFilter) -> Self
}

extension WindowedRows {
  /// All rows, whatever the page asks for.
  public func filtered(by filter: RowsFilter) -> Self { self }
}

/// What a page asks for of a long list; see `WindowedRows/filtered(by:)`.
///
/// ```swift
/// filter.part   // "done" of <template data-bind-each="cards" data-window="done">; empty for all rows
/// filter.word   // what is in the field with data-window-filter="cards"; empty for all rows
/// cards.filter { filter.includes(part: $0.column) && filter.finds($0.title) }
/// ```
public struct RowsFilter: Hashable, Sendable {
  /// The part that the page names, at most 200 bytes of UTF-8; empty for all rows.
  public let part: String
  /// The word that the page's visitor looks for, at most 200 bytes of UTF-8; empty for all rows.
  public let word: String
  private let folded: [UInt8]

  /// A filter.
  ///
  /// - Parameters:
  ///   - part: The part that the page names.
  ///   - word: The word that the page's visitor looks for.
  public init(part: String = "", word: String = "") {
    self.part = part
    self.word = word
    folded = word.isEmpty ? [] : SearchText.fold(word)
  }

  /// Whether the rows of a part are asked for: the page names that part, or none.
  ///
  /// - Parameter part: The part's name.
  /// - Returns: Whether it includes them.
  public func includes(part: String) -> Bool { self.part.isEmpty || self.part == part }

  /// Whether the word is in a text, whatever its case and the width of its characters; an empty word is in each.
  ///
  /// - Parameter text: The text of a row; where there are thousands, let them have a `SearchText`.
  /// - Returns: Whether it is found.
  public func finds(_ text: String) -> Bool { folded.isEmpty || finds(SearchText(wrappedValue: text)) }

  /// The same for a text that was made for searches.
  ///
  /// - Parameter text: The text of a row: `$title` of `@SearchText var title`.
  /// - Returns: Whether it is found.
  public func finds(_ text: SearchText) -> Bool { text.contains(folded: folded) }

  /// Whether it asks for all rows.
  package var isEmpty: Bool { part.isEmpty && word.isEmpty }
}

/// Rows in memory, as a long list.
///
/// ```swift
/// let cards: Driver<RowArray<Card>> = cards.asDriver().map { RowArray($0) }
/// ```
///
/// Its rows may be made of something else, and pages may ask for some of them:
///
/// ```swift
/// let cards: Driver<RowArray<Shown>> = cards.asDriver().map { cards in
///   RowArray(cards, as: { Shown(id: $0.id, title: $0.title) }) { card, filter in
///     filter.includes(part: card.column) && filter.finds(card.$title)
///   }
/// }
/// ```
public struct RowArray<Row: Encodable & Identifiable>: WindowedRows where Row.ID: Codable {
  /// How many rows there are.
  public let count: Int
  private let read: (Range<Int>) -> [Row]
  private let find: ((RowsFilter) -> RowArray)?
  private let places: Places

  /// Where each one stands; found out when somebody asks.
  private final class Places {
    let ids: () -> [Row.ID]
    lazy var byID = Dictionary(
      ids().enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })

    init(_ ids: @escaping () -> [Row.ID]) { self.ids = ids }
  }

  /// A list of rows, which pages get whatever they ask for.
  ///
  /// - Parameter rows: The rows, in order.
  public init(_ rows: [Row]) { self.init(rows, as: { $0 }) }

  /// A list of rows, of which pages ask for some.
  ///
  /// - Parameters:
  ///   - rows: The rows, in order.
  ///   - isWanted: Whether a page that asks for a part, or by a word, gets a row.
  public init(_ rows: [Row], where isWanted: @escaping (Row, RowsFilter) -> Bool) {
    self.init(rows, as: { $0 }, where: isWanted)
  }

  /// A list whose rows are made of something else, when pages look at them.
  ///
  /// - Parameters:
  ///   - elements: What the rows are made of, in order.
  ///   - row: Makes a row, with the element's id.
  ///   - isWanted: Whether a page that asks for a part, or by a word, gets the row of an element; nil if all get all.
  public init<Element: Identifiable>(
    _ elements: [Element], as row: @escaping (Element) -> Row,
    where isWanted: ((Element, RowsFilter) -> Bool)? = nil
  ) where Element.ID == Row.ID {
    count = elements.count
    read = { range in elements[range].map(row) }
    find = isWanted.map { isWanted in
      { filter in RowArray(elements.filter { isWanted($0, filter) }, as: row, where: isWanted) }
    }
    places = Places { elements.map(\.id) }
  }

  /// Some of the rows.
  ///
  /// - Parameter range: Places from 0 to `count`.
  /// - Returns: The rows, in order.
  public func rows(in range: Range<Int>) -> [Row] { read(range) }

  /// Where a row stands.
  ///
  /// - Parameter id: The row's.
  /// - Returns: Its place; nil if it is not there.
  public func position(of id: Row.ID) -> Int? { places.byID[id] }

  /// The rows that a page asks for.
  ///
  /// - Parameter filter: What it asks for.
  /// - Returns: The rows.
  public func filtered(by filter: RowsFilter) -> RowArray { find?(filter) ?? self }
}
