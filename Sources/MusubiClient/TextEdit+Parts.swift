// SPDX-License-Identifier: Apache-2.0
internal import MusubiText
internal import MusubiWire

extension TextEdit {
  /// Units that stand for a component's two numbers and its brackets.
  private static let unitsOfPlace = 5
  /// The units of a component with one character.
  static let leastUnits = unitsOfPlace + 2

  /// The same change as several that each take no more than some units, each for the text that the one before leaves.
  ///
  /// Deletions go first: so no part makes the text longer than it was, or will be.
  ///
  /// - Parameter maxUnits: The most UTF-16 units of a part, each place counted as 5; at least 7.
  /// - Returns: The parts; this edit alone if it is short enough.
  func parts(maxUnits: Int) -> [TextEdit] {
    let units = components.reduce(0) { $0 + $1.inserted.utf16.count + Self.unitsOfPlace }
    guard units > maxUnits else { return [self] }
    var deletions = Parts(maxUnits: maxUnits)
    var insertions = Parts(maxUnits: maxUnits)
    var deleted = 0
    for component in components {
      deletions.delete(component.deleted, at: component.position)
      insertions.insert(component.inserted, at: component.position - deleted)
      deleted += component.deleted
    }
    return deletions.all + insertions.all
  }

  /// Components that refer to one text, in edits that are made one after the other.
  private struct Parts {
    let maxUnits: Int
    private var closed: [TextEdit] = []
    private var open: [Component] = []
    private var units = 0
    /// By how much the text has grown in front of the next component, by the parts that are closed.
    private var shift = 0
    private var growth = 0

    init(maxUnits: Int) { self.maxUnits = maxUnits }

    var all: [TextEdit] { open.isEmpty ? closed : closed + [TextEdit(open)] }

    mutating func delete(_ count: Int, at position: Int) {
      guard count > 0 else { return }
      makeRoom()
      add(Component(position: position + shift, deleted: count, inserted: ""), growth: -count)
    }

    mutating func insert(_ text: String, at position: Int) {
      var rest = text.unicodeScalars[...]
      while !rest.isEmpty {
        makeRoom()
        var room = maxUnits - units - unitsOfPlace
        let piece = rest.prefix {
          room -= UTF16.width($0)
          return room >= 0
        }
        rest = rest[piece.endIndex...]
        let inserted = String(piece)
        add(
          Component(position: position + shift, deleted: 0, inserted: inserted),
          growth: inserted.utf16.count)
      }
    }

    private mutating func add(_ component: Component, growth: Int) {
      open.append(component)
      units += component.inserted.utf16.count + unitsOfPlace
      self.growth += growth
    }

    /// Begins the next part, unless a component with one character has room in this one.
    private mutating func makeRoom() {
      guard units + leastUnits > maxUnits else { return }
      closed.append(TextEdit(open))
      shift += growth
      (open, units, growth) = ([], 0, 0)
    }
  }
}
