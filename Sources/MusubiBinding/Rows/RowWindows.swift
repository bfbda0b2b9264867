// SPDX-License-Identifier: Apache-2.0
import MusubiRx
package import MusubiWire

/// An output of which each page gets only the rows that it looks at; turns tell how many there are.
package final class WindowedOutput {
  /// The most rows that a page looks at.
  package static let maxRows = 400

  /// So many filtered lists are kept: more than one page looks at, so that its looks do not push each other out.
  private static let maxFilters = RowWindow.most + 8

  /// The output's name.
  package let name: String
  /// Counts the elements of the output: rows may have changed since an earlier one.
  package private(set) var version = 0
  /// Where problems are told.
  private weak var board: OutputBoard?
  /// All rows.
  private var all = Reader()
  /// The rows that pages ask for by parts and words since the last element, a few of them: words are anybody's.
  private var filtered: [RowsFilter: Reader] = [:]
  private var filter: (RowsFilter) -> Reader = { _ in Reader() }
  /// What pages are told, while they are: most pages of a room look at the same place.
  private var told: [Stretch: Value] = [:]

  /// A stretch of rows.
  private struct Stretch: Hashable {
    let filter: RowsFilter
    let first: Int
    let count: Int
  }

  /// The rows that somebody edits; nil if rows have no texts that inputs take.
  var edited: EditedRows?

  /// A list of rows, whatever their type.
  private struct Reader {
    var count = 0
    var read: (Range<Int>) throws -> [Value] = { _ in [] }
    var position: (Value) throws -> Int? = { _ in nil }
  }

  init(name: String) { self.name = name }

  /// Takes the list from which pages are told rows from now on.
  func show<Rows: WindowedRows>(_ rows: Rows, in slot: OutputSlot) {
    version += 1
    all = reader(of: rows, slot)
    (filtered, told) = ([:], [:])
    filter = { [unowned self] in reader(of: rows.filtered(by: $0), slot) }
    slot.write(["count": .integer(Int64(all.count))])
  }

  private func reader<Rows: WindowedRows>(of rows: Rows, _ slot: OutputSlot) -> Reader {
    board = slot.board
    return Reader(
      count: rows.count, read: { try rows.rows(in: $0).map { try ValueEncoder.encode($0) } },
      position: { id in
        guard let id = try? ValueDecoder.decode(Rows.Row.ID.self, as: Rows.Row.ID.self, from: id) else {
          return nil
        }
        return try rows.position(of: id)
      })
  }

  /// All pages are told: what they have in common is kept no longer, because places are anybody's.
  package func forget() {
    if !told.isEmpty { told = [:] }
  }

  /// There is no list, or no longer.
  func clear(_ slot: OutputSlot) {
    version += 1
    (all, filtered, told, filter) = (Reader(), [:], [:], { _ in Reader() })
    slot.write(["count": 0])
  }

  /// The rows of a page's filter.
  private func rows(by wanted: RowsFilter) -> Reader {
    if wanted.isEmpty { return all }
    if let found = filtered[wanted] { return found }
    if filtered.count >= Self.maxFilters { filtered = [:] }
    let made = filter(wanted)
    filtered[wanted] = made
    return made
  }

  /// Where the row of an id stands among all.
  ///
  /// - Parameter id: The id as a page tells it: its text.
  /// - Returns: Its place; nil if it is not there.
  func position(ofRow id: String) -> Int? { position(ofRow: id, in: "") }

  /// Where the row of an id stands in a part of the list; nil if it is not there.
  func position(ofRow id: String, in part: String) -> Int? {
    let list = rows(by: RowsFilter(part: part, word: ""))
    return place { try Self.position(of: id, in: list) }
  }

  private static func position(of id: String, in list: Reader) throws -> Int? {
    try list.position(.string(id)) ?? Int64(id).flatMap { try list.position(.integer($0)) }
  }

  /// A place; a failure to find it out counts as that it is not there, and the log tells.
  private func place(_ find: () throws -> Int?) -> Int? {
    do {
      return try find()
    } catch {
      board?.report("the list \"\(name)\" does not know where a row stands: \(error)")
      return nil
    }
  }

  /// The row of an id as it is now; nil if it is not there.
  ///
  /// - Throws: Why it cannot be read.
  func row(_ id: String) throws -> Value? {
    guard let place = try Self.position(of: id, in: all) else { return nil }
    // A database may have rows that no element has told.
    guard place < all.count else { throw BindingError.unknownRow([id]) }
    return try all.read(place..<place + 1).first
  }

  /// What a page is told that looks at a window.
  ///
  /// - Parameter window: The window; it is held by rows that it has from now on.
  /// - Returns: The count, the place of the first row, and the rows.
  /// - Throws: What encoding throws.
  func rows(in window: inout RowWindow) throws -> Value {
    let list = rows(by: window.filter)
    let first = max(0, min(begin(of: window, in: list), list.count - window.count))
    let stretch = Stretch(filter: window.filter, first: first, count: window.count)
    let value: Value =
      try told[stretch] ?? [
        "count": .integer(Int64(list.count)), "first": .integer(Int64(first)),
        "rows": .array(try list.read(first..<min(first + window.count, list.count))),
      ]
    told[stretch] = value
    window.first = first
    let rows = value["rows"]?.arrayValue ?? []
    window.anchors = [0, rows.count / 2, rows.count - 1].compactMap { index in
      guard rows.indices.contains(index), let id = rows[index]["id"] else { return nil }
      return RowWindow.Anchor(id: id, index: index)
    }
    return value
  }

  /// Where a window begins now: by its first row, unless that one has gone far away, as a row does that somebody sends to the
  /// end; then by whichever row has it move least.
  private func begin(of window: RowWindow, in list: Reader) -> Int {
    func begin(_ anchor: RowWindow.Anchor) -> Int? {
      place { try list.position(anchor.id) }.map { $0 - anchor.index }
    }
    func distance(_ begin: Int) -> Int { abs(begin - window.first) }
    guard let first = window.anchors.first.flatMap(begin) else { return window.first }
    if distance(first) <= window.count { return first }
    return window.anchors.compactMap(begin).min { distance($0) < distance($1) } ?? first
  }
}

/// The rows of an output that one page looks at.
package struct RowWindow {
  /// A row by which a window is held.
  struct Anchor {
    let id: Value
    /// How many rows of the window are in front of it.
    let index: Int
  }

  /// The rows by which it is held, the first one first; none if it begins at `first`.
  var anchors: [Anchor]
  /// A page has at most so many windows.
  package static let most = 16
  /// A part's name, and a word, have at most so many bytes of UTF-8.
  private static let longestWord = 200
  /// Where it begins, if none of these is there.
  var first = 0
  /// How many rows it has.
  var count = 0
  /// Of which rows it is a window.
  let filter: RowsFilter
  /// Whether the page takes what has changed in the place of all that it shows.
  package let takesPatches: Bool
  /// The element of the output that the page was told, and what it was told.
  private var told: (version: Int, value: Value)?

  /// Reads what a page looks at.
  ///
  /// ```
  /// {"first":5000,"count":80}                   80 rows from a place
  /// {"anchor":"4711","before":20,"count":80}    80 rows, of which the first is 20 in front of row 4711
  /// {"first":0,"count":80,"patches":true}       changes come as patches
  /// {"first":0,"count":80,"word":"bread"}       of the rows that the list filters by a word
  /// ```
  ///
  /// - Parameters:
  ///   - value: What the page has sent; nil if nothing.
  ///   - part: The part of the list that the page names; empty for all.
  package init?(_ value: Value?, part: String = "") {
    let word = value?["word"] ?? ""
    guard let word = word.stringValue, word.utf8.count <= Self.longestWord,
      part.utf8.count <= Self.longestWord
    else { return nil }
    filter = RowsFilter(part: part, word: word)
    guard let value, case .integer(let count)? = value["count"], count > 0,
      count <= WindowedOutput.maxRows
    else { return nil }
    func number(_ name: String) -> Int? {
      guard let value = value[name] else { return 0 }
      guard case .integer(let number) = value, (0...Int64(ClientFrame.maximumNumber)).contains(number) else {
        return nil
      }
      return Int(number)
    }
    guard let first = number("first"), let before = number("before") else { return nil }
    (self.first, self.count) = (first, Int(count))
    anchors = value["anchor"].map { [Anchor(id: $0, index: before)] } ?? []
    takesPatches = value["patches"] == true
  }

  /// What the page is to be told of an output; read again only if rows may have changed.
  ///
  /// - Throws: What encoding throws.
  package mutating func value(of output: WindowedOutput) throws -> Value {
    if let told, told.version == output.version { return told.value }
    let value = try output.rows(in: &self)
    told = (output.version, value)
    return value
  }
}

extension WindowedRows {
  /// The type of a row.
  static var rowType: Any.Type { Row.self }

  /// Writes elements into a windowed output: a closure of type `(Self) -> Void`.
  static func writer(into slot: OutputSlot, _ output: WindowedOutput) -> Any {
    { (rows: Self) in output.show(rows, in: slot) }
  }
}
