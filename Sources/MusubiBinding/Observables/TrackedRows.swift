// SPDX-License-Identifier: Apache-2.0
import MusubiText
import MusubiWire

/// An output of models, each a row that is followed by itself.
final class TrackedRows<Row: ObservableViewModel & Identifiable>: TrackedOutput
where Row.ID: CustomStringConvertible {
  private let output: OutputSlot
  private unowned let screen: ScreenModels
  private let read: () -> [Row]
  /// The rows that the output shows, in their order.
  private var shown: [TrackedRow<Row>] = []
  /// By their ids, which are told apart by their bytes, as everywhere.
  private var rows: [ExactString: TrackedRow<Row>] = [:]
  /// Those of a list that is not shown because one of them could not be made; it tells when it can.
  private var waiting: [ExactString: TrackedRow<Row>] = [:]
  /// Whether the list has its rows made.
  private var isMaking = false

  init(_ output: OutputSlot, of screen: ScreenModels, _ read: @escaping () -> [Row]) {
    self.output = output
    self.screen = screen
    self.read = read
    super.init(slot: output.index, of: screen)
  }

  /// The model of a row.
  func find(_ row: ArraySlice<String>) -> RowMatch<Row> {
    guard row.count == 1, let id = row.first, let found = rows[ExactString(id)] else { return .missing }
    return .one(found.model)
  }

  /// Shows a row again: what was typed into it may not be what its model made of that.
  func restate(_ row: ArraySlice<String>) {
    if row.count == 1, let id = row.first { rows[ExactString(id)]?.mark() }
  }

  override func update() throws {
    // The ids are followed, too: they say which rows there are.
    let (new, ids) = try track { Result { try followed(read()) } }.get()
    isMaking = true
    defer { isMaking = false }
    do {
      for row in new where row.value == nil { try row.make() }
    } catch {
      waiting = ids
      throw error
    }
    show(new)
    (shown, rows, waiting) = (new, ids, [:])
  }

  /// The rows of models; those that are known are the same.
  private func followed(
    _ models: [Row]
  ) throws -> (inOrder: [TrackedRow<Row>], byID: [ExactString: TrackedRow<Row>]) {
    var new: [TrackedRow<Row>] = []
    new.reserveCapacity(models.count)
    var ids: [ExactString: TrackedRow<Row>] = [:]
    for model in models {
      let id = model.id.description
      let row = known(model, id) ?? TrackedRow(model, id: id, in: self, of: screen)
      guard ids.updateValue(row, forKey: ExactString(id)) == nil else { throw DoubleRowError(id: id) }
      new.append(row)
    }
    return (new, ids)
  }

  private func known(_ model: Row, _ id: String) -> TrackedRow<Row>? {
    let key = ExactString(id)
    if let row = rows[key], row.model === model { return row }
    if let row = waiting[key], row.model === model { return row }
    return nil
  }

  /// A row that could not be made can be now: so may be the list.
  fileprivate func noteMade() {
    guard !isMaking else { return }
    mark()
    updateIfMarked()
  }

  /// Writes what lies between the beginning and the end that both lists have in common.
  private func show(_ new: [TrackedRow<Row>]) {
    for (place, row) in new.enumerated() { row.place = place }
    guard output.value != nil else { return output.write(.array(new.compactMap(\.value))) }
    let shorter = min(shown.count, new.count)
    var start = 0
    while start < shorter, shown[start] === new[start] { start += 1 }
    var ending = 0
    while ending < shorter - start, shown[shown.count - 1 - ending] === new[new.count - 1 - ending] {
      ending += 1
    }
    guard start < shown.count - ending || start < new.count - ending else { return }
    output.replaceElements(
      start..<shown.count - ending, with: new[start..<new.count - ending].compactMap(\.value))
  }

  /// Writes one row that has changed, if it is still there.
  fileprivate func show(_ row: TrackedRow<Row>) {
    guard rows[ExactString(row.id)] === row, let value = row.value else { return }
    output.replaceElements(row.place..<row.place + 1, with: [value])
  }
}

/// A row of models.
private final class TrackedRow<Row: ObservableViewModel & Identifiable>: TrackedOutput
where Row.ID: CustomStringConvertible {
  let model: Row
  let id: String
  /// Its place in the list.
  var place = 0
  /// The shown value; nil before it was made.
  private(set) var value: Value?
  private unowned let list: TrackedRows<Row>

  init(_ model: Row, id: String, in list: TrackedRows<Row>, of screen: ScreenModels) {
    self.model = model
    self.id = id
    self.list = list
    super.init(slot: list.slot, of: screen)
  }

  override func update() throws {
    let isNew = value == nil
    let members = RowMembers(id: id, like: value)
    try track { Result { for binding in Row.bindings { try binding.show?(model, members) } } }.get()
    value = .object(members.object)
    if isNew { list.noteMade() } else { list.show(self) }
  }
}

/// Two rows of a list have one id, so that nobody knows which of them an input means.
private struct DoubleRowError: Error, CustomStringConvertible {
  let id: String
  var description: String { "two rows have the id \"\(id.prefix(80))\"" }
}

/// Collects what a page shows of a row.
final class RowMembers {
  private(set) var object = Value.Object()
  private let prefix: String
  private let old: Value?
  private let outer: RowMembers?

  /// The members of the row of an id.
  ///
  /// - Parameters:
  ///   - id: The row's id.
  ///   - old: What the page shows of it so far.
  init(id: String, like old: Value?) {
    self.old = old
    (prefix, outer) = ("", nil)
    object["id"] = .string(id)
  }

  private init(_ outer: RowMembers, prefix: String) {
    (self.outer, self.prefix, old) = (outer, prefix, outer.old)
  }

  /// The members of a part of the row.
  func inside(_ name: String) -> RowMembers {
    RowMembers(self, prefix: StreamDeclaration.joined(prefix, name))
  }

  /// Adds a value.
  func add(_ name: String, _ content: some Encodable) throws {
    let name = StreamDeclaration.joined(prefix, name)
    set(name, try ValueEncoder.encode(content, like: old?[name]))
  }

  /// Adds a list of models.
  func add<Row: ObservableViewModel & Identifiable>(_ name: String, rows: [Row]) throws
  where Row.ID: CustomStringConvertible {
    set(
      StreamDeclaration.joined(prefix, name),
      .array(
        try rows.map { model in
          let row = RowMembers(id: model.id.description, like: nil)
          for binding in Row.bindings { try binding.show?(model, row) }
          return .object(row.object)
        }))
  }

  private func set(_ name: String, _ value: Value) {
    if let outer { outer.set(name, value) } else { object[name] = value }
  }
}
