// SPDX-License-Identifier: Apache-2.0

/// A change of a text: some components, all of which refer to the text before the change.
///
/// ```
/// text      a b c d e f          edit  [[1,2,"X"],[4,0,"YZ"]]
/// gap      0 1 2 3 4 5 6
///             └─┴ X  └ YZ        result  a X d YZ e f
/// ```
///
/// **Units.** Positions and counts are UTF-16 code units, as in JavaScript. Position *g* is the gap in front of unit
/// *g*. A component with `deleted == 0` is an *insertion* into a gap, any other a *replacement* of a range of units
/// (with an empty text: a deletion). No component begins or ends between the halves of a surrogate pair.
///
/// **Normal form.** Ascending; no component without effect; no two that touch: where one ends at the position of the
/// next, they are one component, with the sum of what they delete and their texts one after the other. Only where this
/// one would be a substitution (see below), and not all that it was made of is, it is an insertion and a deletion at one
/// position: `[1,0,"xy"],[1,2,""]`, which is how people type over what they have selected. `transform`, `compose`,
/// `inverse` and `diff` return it. `transform` brings its inputs into it first.
///
/// **Order.** Two edits *p* and *s* of one text are merged by putting all inserted texts in this order, and deleting
/// each unit that either deletes: (1) by position; (2) at the same position an insertion before a replacement, since
/// the one goes into the gap and the other stands in the place of units after that gap; (3) for two insertions or two
/// replacements at the same position, *s* before *p*. So an insertion at the start of a range that the other
/// replaces comes before the replacement, one inside or at its end comes after it, and only a real tie asks who is
/// *s*. Both ways round this is the same text (TP1), since it is one order.
///
/// **Substitutions.** A replacement whose text is as long as the range (`inserted.utf16.count == deleted`)
/// stands for it unit by unit: upper-casing "ab" while another inserts "x" between gives "AxB". Before
/// merging, such a component is cut at each begin and each end of the other edit's components that lies
/// strictly inside of it. If the cut falls between the halves of a surrogate pair of the text, the text is
/// cut one unit earlier (the range is not). A part is a substitution only if its text is as long as its
/// range. One whose range the other edit deletes, by a component that is no substitution, is left out: who
/// deletes a letter does not get it back in upper case. People's own edits hold no substitution therefore
/// (see `typed`), and a replacement that was found by comparing two texts is none either: it is as long as
/// its range by chance.
///
/// ```
/// text "abcd"   p [[2,0,"x"]]   s [[0,4,"ABCD"]], cut at 2 into [0,2,"AB"] [2,2,"CD"]
/// p' [[2,0,"x"]]   s' [[0,2,"AB"],[3,2,"CD"]]   both ways "ABxCD"
/// ```
///
/// `transform` gives *p′* its texts where this order puts them in the text after *s*, its deletions without the units
/// that *s* deletes, in normal form; likewise *s′*. How a difference is found is told at `diff(from:to:)`.
package struct TextEdit: Equatable, Sendable {
  /// One place of a change.
  package struct Component: Equatable, Sendable {
    /// The gap, in UTF-16 units from the start of the text.
    package var position: Int
    /// How many units after the gap are taken out.
    package var deleted: Int
    /// The inserted text.
    package var inserted: String

    package init(position: Int, deleted: Int, inserted: String) {
      self.position = position
      self.deleted = deleted
      self.inserted = inserted
    }

    /// The position after the last unit that is taken out.
    var end: Int { position + deleted }

    fileprivate var maxGrowth: Int { inserted.utf8.count - deleted }

    /// Whether its text stands for the range unit by unit.
    package var isSubstitution: Bool { deleted > 0 && inserted.utf16.count == deleted }
  }

  /// The largest position and count that a frame may hold; texts are far smaller, and sums cannot overflow.
  package static let maximumPosition = 1 << 31

  /// Nearly all edits have one component, which is kept without an array.
  private enum Places: Equatable, Sendable {
    case one(Component)
    /// None, or more than one.
    case list([Component])

    init(_ components: [Component]) {
      self = components.count == 1 ? .one(components[0]) : .list(components)
    }
  }

  private var places: Places

  /// The places, in ascending order.
  package var components: [Component] {
    get {
      switch places {
      case .one(let component): [component]
      case .list(let components): components
      }
    }
    set { places = Places(newValue) }
  }

  /// The only component, without an array; nil if there is none, or more than one.
  package var single: Component? {
    if case .one(let component) = places { component } else { nil }
  }

  /// How many components there are.
  var count: Int {
    switch places {
    case .one: 1
    case .list(let components): components.count
    }
  }

  /// Makes an edit of components as they are; see `validate(against:)` and `normalized`.
  package init(_ components: [Component]) { places = Places(components) }

  /// Makes an edit of one component.
  package init(position: Int, deleted: Int = 0, inserted: String = "") {
    places = .one(Component(position: position, deleted: deleted, inserted: inserted))
  }

  /// Whether applying it changes nothing, whatever the text.
  package var isEmpty: Bool { components.allSatisfy { $0.deleted == 0 && $0.inserted.isEmpty } }

  /// By how many bytes of UTF-8 a text grows at most: a unit that is taken out had at least one.
  package var maxGrowth: Int {
    switch places {
    case .one(let component): component.maxGrowth
    case .list(let components): components.reduce(0) { $0 + $1.maxGrowth }
    }
  }

  /// By how many units the text grows; negative if it shrinks.
  package var growth: Int { components.reduce(0) { $0 + $1.inserted.utf16.count - $1.deleted } }

  /// The same edit in normal form.
  package var normalized: TextEdit {
    var builder = EditBuilder()
    for component in components { builder.append(component, isSubstitution: component.isSubstitution) }
    return builder.edit
  }

  /// The same edit as a person makes it, in normal form without a substitution.
  ///
  /// A substitution stands for its range, and goes when somebody else deletes that; typed text stays.
  package var typed: TextEdit {
    var builder = EditBuilder()
    for component in components { builder.append(component, isSubstitution: false) }
    return builder.edit
  }

  /// The components with an insertion and a deletion at one position as one replacement.
  package var runs: [Component] {
    var runs: [Component] = []
    for component in components {
      if let last = runs.indices.last, runs[last].end == component.position {
        runs[last].deleted += component.deleted
        runs[last].inserted += component.inserted
      } else {
        runs.append(component)
      }
    }
    return runs
  }

  /// Checks that the components are ascending and do not overlap.
  package func validateOrder() throws(TextEditError) {
    var end = 0
    for (index, component) in components.enumerated() {
      guard component.position >= end, component.deleted >= 0 else {
        throw TextEditError(.notAscending, position: component.position, component: index)
      }
      guard component.position <= Self.maximumPosition, component.deleted <= Self.maximumPosition else {
        throw TextEditError(
          .outOfBounds(length: Self.maximumPosition), position: component.position, component: index)
      }
      end = component.end
    }
  }

  /// Checks that the edit can be applied to a text.
  ///
  /// - Parameter text: The text before the edit.
  /// - Throws: `TextEditError` with the index of the component that is not ascending, lies outside of the text or splits
  ///   a surrogate pair.
  package func validate(against text: String) throws(TextEditError) {
    try validateOrder()
    let units = text.utf16
    let length = units.count
    for (index, component) in components.enumerated() {
      guard component.end <= length else {
        throw TextEditError(.outOfBounds(length: length), position: component.end, component: index)
      }
      for position in [component.position, component.end] where units.isInsidePair(position, length) {
        throw TextEditError(.splitsPair, position: position, component: index)
      }
    }
  }

  /// Changes a text; nothing has changed if the edit does not fit.
  ///
  /// In an ASCII text a single component is a copy of bytes.
  ///
  /// - Parameter text: The text before the edit; afterwards the one after it.
  /// - Throws: `TextEditError` as `validate(against:)`.
  package func apply(to text: inout String) throws(TextEditError) {
    if case .one(let only) = places, text.isASCII, only.isInside(text.utf8.count) {
      // All of it is replaced: a choice from a list, or a number that is typed over.
      text = only.deleted == text.utf8.count ? only.inserted : only.spliced(into: text)
      return
    }
    try validate(against: text)
    if case .one(let only) = places {
      let start = text.utf16.index(text.startIndex, offsetBy: only.position)
      let end = text.utf16.index(start, offsetBy: only.deleted)
      text.unicodeScalars.replaceSubrange(start..<end, with: only.inserted.unicodeScalars)
      return
    }
    var result = ""
    result.reserveCapacity(text.utf8.count + components.reduce(0) { $0 + $1.inserted.utf8.count })
    var index = text.startIndex
    var position = 0
    for component in components {
      let start = text.utf16.index(index, offsetBy: component.position - position)
      result += text[index..<start]
      result += component.inserted
      index = text.utf16.index(start, offsetBy: component.deleted)
      position = component.end
    }
    result += text[index...]
    text = result
  }

  /// The text after the edit.
  ///
  /// - Parameter text: The text before the edit.
  /// - Returns: The text after it.
  /// - Throws: `TextEditError` as `validate(against:)`.
  package func applied(to text: String) throws(TextEditError) -> String {
    var result = text
    try apply(to: &result)
    return result
  }
}

extension TextEdit.Component {
  /// Whether it fits a text of so many units.
  @inline(__always)
  fileprivate func isInside(_ length: Int) -> Bool {
    position >= 0 && deleted >= 0 && deleted <= length && position <= length - deleted
  }

  /// Makes the change in an ASCII text, whose units are bytes.
  fileprivate func spliced(into text: String) -> String {
    var (old, new) = (text, inserted)
    return old.withUTF8 { old in
      new.withUTF8 { new in
        let count = old.count - deleted + new.count
        return String(unsafeUninitializedCapacity: count) { result in
          let target = UnsafeMutableRawBufferPointer(result)
          target.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(old)[..<position]))
          UnsafeMutableRawBufferPointer(rebasing: target[position...])
            .copyMemory(from: UnsafeRawBufferPointer(new))
          UnsafeMutableRawBufferPointer(rebasing: target[(position + new.count)...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(old)[end...]))
          return count
        }
      }
    }
  }
}

/// Collects components from left to right and joins those that touch.
struct EditBuilder {
  /// The last one may grow, and is not parted yet.
  private var components: [TextEdit.Component] = []
  /// Whether all that the last one was made of is substitutions.
  private var isSubstitution = false

  /// The collected edit, in normal form.
  var edit: TextEdit {
    var result = self
    result.part()
    return TextEdit(result.components)
  }

  /// Adds a component that does not begin before the end of the last one.
  ///
  /// - Parameters:
  ///   - component: The component.
  ///   - isSubstitution: Whether its text stands for the range unit by unit, or is a part of one that does.
  mutating func append(_ component: TextEdit.Component, isSubstitution: Bool) {
    guard component.deleted > 0 || !component.inserted.isEmpty else { return }
    if let last = components.indices.last, components[last].end == component.position {
      components[last].deleted += component.deleted
      components[last].inserted += component.inserted
      self.isSubstitution = self.isSubstitution && isSubstitution
    } else {
      part()
      components.append(component)
      self.isSubstitution = isSubstitution
    }
  }

  /// Adds a component by its parts.
  mutating func append(_ position: Int, _ deleted: Int, _ inserted: String, isSubstitution: Bool = false) {
    append(
      TextEdit.Component(position: position, deleted: deleted, inserted: inserted),
      isSubstitution: isSubstitution)
  }

  /// Parts the last one if it only looks like a substitution.
  private mutating func part() {
    guard !isSubstitution, let last = components.last, last.isSubstitution else { return }
    components[components.count - 1].deleted = 0
    components.append(.init(position: last.position, deleted: last.deleted, inserted: ""))
  }
}

extension String.UTF16View {
  /// Whether that position is between the two halves of a surrogate pair; `length` is the view's count.
  func isInsidePair(_ position: Int, _ length: Int) -> Bool {
    guard position > 0, position < length else { return false }
    return UTF16.isTrailSurrogate(self[index(startIndex, offsetBy: position)])
  }
}

extension String {
  /// Whether each unit is one byte.
  @inline(__always)
  fileprivate var isASCII: Bool { utf8.count == utf16.count }

  /// The units of a text between two positions, neither of which splits a pair.
  package func units(_ range: Range<Int>) -> String {
    let start = utf16.index(startIndex, offsetBy: range.lowerBound)
    let end = utf16.index(start, offsetBy: range.count)
    return String(unicodeScalars[start..<end])
  }
}
