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
  ///   Cards(all.filter { $0.column == filter.part && $0.title.localizedStandardContains(filter.word) })
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
/// ```
public struct RowsFilter: Hashable, Sendable {
  /// The part that the page names, at most 200 bytes of UTF-8; empty for all rows.
  public let part: String
  /// The word that the page's visitor looks for, at most 200 bytes of UTF-8; empty for all rows.
  public let word: String

  /// A filter.
  ///
  /// - Parameters:
  ///   - part: The part that the page names.
  ///   - word: The word that the page's visitor looks for.
  public init(part: String = "", word: String = "") {
    self.part = part
    self.word = word
  }

  /// Whether it asks for all rows.
  package var isEmpty: Bool { part.isEmpty && word.isEmpty }
}

/// Rows in memory, as a long list.
///
/// ```swift
/// let cards: Driver<RowArray<Card>> = cards.asDriver().map { RowArray($0) }
/// ```
public struct RowArray<Row: Encodable & Identifiable>: WindowedRows where Row.ID: Codable {
  private let all: [Row]
  /// Where each one stands; found out when somebody asks.
  private let places: Places

  private final class Places {
    var byID: [Row.ID: Int]?
  }

  /// A list of rows.
  ///
  /// - Parameter rows: The rows, in order.
  public init(_ rows: [Row]) {
    all = rows
    places = Places()
  }

  /// How many rows there are.
  public var count: Int { all.count }

  /// Some of the rows.
  ///
  /// - Parameter range: Places from 0 to `count`.
  /// - Returns: The rows, in order.
  public func rows(in range: Range<Int>) -> [Row] { Array(all[range]) }

  /// Where a row stands.
  ///
  /// - Parameter id: The row's.
  /// - Returns: Its place; nil if it is not there.
  public func position(of id: Row.ID) -> Int? {
    let byID =
      places.byID ?? Dictionary(all.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    places.byID = byID
    return byID[id]
  }
}
