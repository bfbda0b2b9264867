// SPDX-License-Identifier: Apache-2.0
import MusubiText

/// Finds the patch that turns one value into another.
///
/// Objects are compared member by member. Lists of rows (objects that each have a member `id`, a string or an
/// integer, unique in the list) are compared by that key: rows that went are removed, new ones are added, the fewest
/// possible are moved (all but a longest increasing subsequence), and what changed inside a row is patched inside the
/// row. In other lists what slid is found: elements that left and came are removed and added, the rest is compared
/// place by place.
///
/// Below the root, an object or a list is replaced as a whole where that is shorter than its patch. (A page tells rows by
/// their ids, so that they keep their elements all the same.)
///
/// An unchanged list costs one comparison of each element and no memory; two values that share their storage cost
/// nothing.
package struct Diff {
  /// The operations so far.
  var operations: [Operation] = []
  /// The way to the values that are being compared.
  var path: [String]
  /// The place from which places in the compared list count.
  private var base = 0

  private init(path: [String], base: Int = 0) {
    self.path = path
    self.base = base
  }

  /// Computes the patch that turns one value into another.
  ///
  /// Applying it to `old` always yields `new`; a property test holds this for random values.
  ///
  /// - Parameters:
  ///   - old: The value that the page shows now.
  ///   - new: The value that it should show.
  ///   - path: Where in the page's state the values are.
  /// - Returns: The operations in the order in which the page applies them; empty if nothing changed.
  /// - Complexity: O(n) for n nodes, and O(m log m) for m rows between the first and the last that changed place.
  package static func operations(
    from old: Value, to new: Value, at path: JSONPointer = .root
  ) -> [Operation] {
    var diff = Diff(path: path.tokens)
    diff.compare(old, new)
    return diff.operations
  }

  /// Computes the patch for some elements of a list that became others; all others have not changed.
  ///
  /// - Parameters:
  ///   - old: The elements that the page shows now.
  ///   - new: The elements that it should show instead.
  ///   - place: Where the first of them is in the list.
  ///   - list: The whole list that the page should show.
  ///   - path: Where in the page's state the list is.
  /// - Returns: The operations in the order in which the page applies them; empty if nothing changed.
  package static func operations(
    from old: [Value], to new: ArraySlice<Value>, from place: Int, in list: [Value], at path: JSONPointer
  ) -> [Operation] {
    var diff = Diff(path: path.tokens, base: place)
    diff.compareElements(old, Array(new))
    diff.shorten(from: 0, .array(list))
    return diff.operations
  }

  /// Compares two values at the present path.
  mutating func compare(_ old: Value, _ new: Value) {
    let first = operations.count
    switch (old, new) {
    case (.object(let a), .object(let b)): compareMembers(a, b)
    case (.array(let a), .array(let b)): compareElements(a, b)
    default: if old != new { operations.append(.replace(path: JSONPointer(path), value: new)) }
    }
    shorten(from: first, new)
  }

  /// Replaces the value at the present path as a whole, if that is shorter than its operations.
  ///
  /// A single operation never is longer: what its path has more, the value has as names and brackets.
  ///
  /// - Parameters:
  ///   - first: Where the value's operations begin.
  ///   - value: What the value should be.
  private mutating func shorten(from first: Int, _ value: Value) {
    guard operations.count - first > 1, !path.isEmpty else { return }
    let whole = Operation.replace(path: JSONPointer(path), value: .null)
    let maxBytes = operations[first...].jsonByteCount - [whole].jsonByteCount + "null".utf8.count
    guard value.jsonByteCount(stoppingAbove: maxBytes) < maxBytes else { return }
    operations.replaceSubrange(first..., with: [.replace(path: whole.path, value: value)])
  }

  /// Does something one level deeper.
  mutating func descend(_ token: String, _ body: (inout Diff) -> Void) {
    let base = self.base
    self.base = 0
    path.append(token)
    body(&self)
    path.removeLast()
    self.base = base
  }

  private mutating func compareMembers(_ old: Value.Object, _ new: Value.Object) {
    if old.isSameStorage(as: new) { return }
    let isLarge = max(old.count, new.count) >= Value.Object.indexedSize
    if isLarge, old == new { return }
    let newIndex = isLarge ? new.keyIndex() : nil
    for (hint, member) in old.members.enumerated() {
      let found = newIndex.map { $0[ExactString(member.key)] } ?? new.position(of: member.key, near: hint)
      if let found {
        let value = new.members[found].value
        if needsComparing(member.value, value) {
          descend(member.key) { $0.compare(member.value, value) }
        }
      } else {
        descend(member.key) { $0.operations.append(.remove(path: JSONPointer($0.path))) }
      }
    }
    let oldIndex = isLarge ? old.keyIndex() : nil
    for (hint, member) in new.members.enumerated() {
      let found = oldIndex.map { $0[ExactString(member.key)] } ?? old.position(of: member.key, near: hint)
      guard found == nil else { continue }
      descend(member.key) { $0.operations.append(.add(path: JSONPointer($0.path), value: member.value)) }
    }
  }

  /// Whether two values must be looked into; spares the path for plain values that are equal.
  private func needsComparing(_ old: Value, _ new: Value) -> Bool {
    switch (old, new) {
    case (.object, .object), (.array, .array): true
    default: old != new
    }
  }

  private mutating func compareElements(_ old: [Value], _ new: [Value]) {
    let isSame = old.withUnsafeBufferPointer { a in
      new.withUnsafeBufferPointer { a.baseAddress == $0.baseAddress && a.count == $0.count }
    }
    if isSame { return }
    let shorter = min(old.count, new.count)
    var start = 0
    while start < shorter, Self.mayStay(old[start], new[start]) {
      compareInPlace(old[start], new[start], at: start)
      start += 1
    }
    var ending = 0
    while ending < shorter - start, Self.mayStay(old[old.count - 1 - ending], new[new.count - 1 - ending]) {
      ending += 1
    }
    compareMiddles(old, new, start..<old.count - ending, start..<new.count - ending)
    for index in new.count - ending..<new.count {
      compareInPlace(old[index - new.count + old.count], new[index], at: index)
    }
  }

  /// Whether an element of a list stays where it is: it is the same row, or equal.
  private static func mayStay(_ old: Value, _ new: Value) -> Bool {
    if case .object(let a) = old, case .object(let b) = new, a.isSameStorage(as: b) { return true }
    guard let (oldID, newID) = rowIDs(old, new) else { return old == new }
    return oldID == newID
  }

  /// The ids of two rows, without copying the rows; nil unless both are rows.
  private static func rowIDs(_ old: Value, _ new: Value) -> (RowID, RowID)? {
    guard let oldID = RowID(old), let newID = RowID(new) else { return nil }
    return (oldID, newID)
  }

  /// Compares two elements that will stand at that index when all operations before have been applied.
  mutating func compareInPlace(_ old: Value, _ new: Value, at index: Int) {
    guard needsComparing(old, new) else { return }
    if case .object(let a) = old, case .object(let b) = new, a.isSameStorage(as: b) { return }
    descend(String(base + index)) { $0.compare(old, new) }
  }

  /// Compares what lies between the common beginning and end of two lists.
  private mutating func compareMiddles(
    _ old: [Value], _ new: [Value], _ oldRange: Range<Int>, _ newRange: Range<Int>
  ) {
    if oldRange.isEmpty || newRange.isEmpty {
      for index in oldRange.reversed() { removeElement(at: index) }
      for index in newRange { addElement(new[index], at: index) }
    } else if let sources = RowID.sources(of: new[newRange], in: old[oldRange]) {
      compareRows(old, new, oldRange, newRange, sources)
    } else {
      for gap in Self.gaps(old[oldRange], new[newRange]) { compareGap(old, new, gap.old, gap.new) }
    }
  }

  /// A part of an old list that becomes a part of a new one.
  struct Gap {
    var old: Range<Int>
    var new: Range<Int>
  }

  /// After so many elements that left or came the search for others that stay is given up: it costs the square of them.
  static let maxDistance = 64

  /// The parts between the elements of a list that stay, in ascending order.
  static func gaps(_ old: ArraySlice<Value>, _ new: ArraySlice<Value>) -> [Gap] {
    let (start, begin) = (old.startIndex, new.startIndex)
    let matches =
      old.count < 2 || new.count < 2
      ? nil
      : EditGraph.matches(old.count, new.count, maximumCost: maxDistance) {
        old[start + $0] == new[begin + $1]
      }
    var gaps: [Gap] = []
    var (oldEnd, newEnd) = (start, begin)
    for match in (matches ?? []) + [.init(old: old.count, new: new.count, length: 0)] {
      let gap = Gap(old: oldEnd..<start + match.old, new: newEnd..<begin + match.new)
      if !gap.old.isEmpty || !gap.new.isEmpty { gaps.append(gap) }
      (oldEnd, newEnd) = (gap.old.upperBound + match.length, gap.new.upperBound + match.length)
    }
    return gaps
  }

  /// Compares elements between two that stay, place by place; everything in front of them is new already.
  private mutating func compareGap(
    _ old: [Value], _ new: [Value], _ oldRange: Range<Int>, _ newRange: Range<Int>
  ) {
    let common = min(oldRange.count, newRange.count)
    for (place, index) in zip(oldRange, newRange) { compareInPlace(old[place], new[index], at: index) }
    for place in oldRange.dropFirst(common).reversed() {
      removeElement(at: place - oldRange.lowerBound + newRange.lowerBound)
    }
    for index in newRange.dropFirst(common) { addElement(new[index], at: index) }
  }

  /// The way to an element of the list that is being compared.
  func pointer(to index: Int) -> JSONPointer { JSONPointer(path + [String(base + index)]) }

  mutating func removeElement(at index: Int) {
    operations.append(.remove(path: pointer(to: index)))
  }

  mutating func addElement(_ value: Value, at index: Int) {
    operations.append(.add(path: pointer(to: index), value: value))
  }
}

/// What tells a row of a list from the others.
enum RowID: Hashable {
  case integer(Int64)
  case string(ExactString)

  /// The id of a row; nil if the value is none.
  init?(_ value: Value) {
    guard case .object(let object) = value else { return nil }
    // Nearly always the first member.
    guard let position = object.position(of: "id", near: 0) else { return nil }
    switch object.members[position].value {
    case .integer(let id): self = .integer(id)
    case .string(let id): self = .string(ExactString(id))
    default: return nil
    }
  }

  /// Where each row of a list was in another one: its place there, or nil if it is new.
  ///
  /// - Parameters:
  ///   - new: The rows of the new list.
  ///   - old: The rows of the old list.
  /// - Returns: One place for each row of `new`; nil if an element is no row or an id occurs twice.
  static func sources(of new: ArraySlice<Value>, in old: ArraySlice<Value>) -> [Int?]? {
    var places: [RowID: Int] = [:]
    places.reserveCapacity(old.count)
    for place in old.indices {
      guard let id = RowID(old[place]), places.updateValue(place, forKey: id) == nil else { return nil }
    }
    var sources: [Int?] = []
    sources.reserveCapacity(new.count)
    var isTaken = [Bool](repeating: false, count: old.count)
    for row in new {
      guard let id = RowID(row) else { return nil }
      let place = places[id]
      if let place {
        guard !isTaken[place - old.startIndex] else { return nil }
        isTaken[place - old.startIndex] = true
      }
      sources.append(place)
    }
    return sources
  }
}
