// SPDX-License-Identifier: Apache-2.0

extension TextEdit {
  /// Most insertions and deletions of single units that `diff` looks for before it replaces the whole middle.
  package static let maximumDiffCost = 64

  /// An edit that turns one text into another.
  ///
  /// The result is exact, so that another program can find the same one:
  /// 1. *Matches* are found as (place in `old`, place in `new`, length), in UTF-16 units.
  ///    - Texts of equal length, if `byPlace`: every maximal run of equal units at the same place.
  ///    - Others: the longest common prefix; then the longest common suffix that overlaps it in neither text (after
  ///      rule 2 was applied to the prefix; it is applied to the suffix at once, too); then, if both middles have
  ///      units, the matches of their edit graph as `EditGraph` finds them; if that costs more than `maximumDiffCost`
  ///      insertions and deletions, none.
  /// 2. A match whose last unit is a high surrogate is shortened by it, and one whose first unit is a low surrogate
  ///    likewise, so that no pair is split.
  /// 3. The part between two matches (and before the first, after the last) is one component, a substitution if it is as
  ///    long as its range and `byPlace`.
  ///
  /// - Parameters:
  ///   - old: The text before the edit.
  ///   - new: The text after it.
  ///   - byPlace: Whether a replacement as long as its range is a rewriting unit by unit, as upper-casing is.
  ///     Changes that a page has missed, or that a person has made, are none: there the units that both texts
  ///     have stay as they are.
  /// - Returns: The edit in normal form; empty if the texts have the same bytes.
  /// - Complexity: O(n) if the lengths are equal or one place has changed, else O(n · `maximumDiffCost`).
  package static func diff(from old: String, to new: String, byPlace: Bool = true) -> TextEdit {
    guard !old.hasSameBytes(as: new) else { return TextEdit([]) }
    let before = Array(old.utf16)
    let after = Array(new.utf16)
    let matches =
      byPlace && before.count == after.count ? equalPlaces(before, after) : commonParts(before, after)
    return edit(before, after, matches, byPlace)
  }

  /// The same change without its unchanged parts.
  ///
  /// - Parameter text: The text before the edit, which fits it.
  /// - Returns: An edit in normal form; each component is the difference of its old and its new text.
  package func reduced(in text: String) -> TextEdit {
    var builder = EditBuilder()
    for run in normalized.runs {
      let old = text.units(run.position..<run.end)
      for part in Self.diff(from: old, to: run.inserted).components {
        builder.append(
          run.position + part.position, part.deleted, part.inserted, isSubstitution: part.isSubstitution)
      }
    }
    return builder.edit
  }

  private static func equalPlaces(_ old: [UInt16], _ new: [UInt16]) -> [EditGraph.Match] {
    var matches: [EditGraph.Match] = []
    var position = 0
    while position < old.count {
      let start = position
      while position < old.count, old[position] == new[position] { position += 1 }
      if position > start { matches.append(.init(old: start, new: start, length: position - start)) }
      while position < old.count, old[position] != new[position] { position += 1 }
    }
    return matches
  }

  private static func commonParts(_ old: [UInt16], _ new: [UInt16]) -> [EditGraph.Match] {
    let shorter = min(old.count, new.count)
    var prefix = 0
    while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
    if prefix > 0, UTF16.isLeadSurrogate(old[prefix - 1]) { prefix -= 1 }
    var suffix = 0
    while suffix < shorter - prefix, old[old.count - 1 - suffix] == new[new.count - 1 - suffix] {
      suffix += 1
    }
    if suffix > 0, UTF16.isTrailSurrogate(old[old.count - suffix]) { suffix -= 1 }

    let middle = EditGraph.matches(
      old.count - prefix - suffix, new.count - prefix - suffix, maximumCost: maximumDiffCost
    ) { old[prefix + $0] == new[prefix + $1] }
    var matches = [EditGraph.Match(old: 0, new: 0, length: prefix)]
    for match in middle ?? [] {
      matches.append(.init(old: prefix + match.old, new: prefix + match.new, length: match.length))
    }
    matches.append(.init(old: old.count - suffix, new: new.count - suffix, length: suffix))
    return matches
  }

  private static func edit(
    _ old: [UInt16], _ new: [UInt16], _ matches: [EditGraph.Match], _ byPlace: Bool
  ) -> TextEdit {
    var builder = EditBuilder()
    var (oldEnd, newEnd) = (0, 0)
    for match in matches + [.init(old: old.count, new: new.count, length: 0)] {
      let whole = match.withoutHalfPairs(in: old)
      let inserted = String(decoding: new[newEnd..<whole.new], as: UTF16.self)
      // Nothing may be joined over a match that has become empty; the builder joins what touches anyway.
      builder.append(oldEnd, whole.old - oldEnd, inserted, isSubstitution: byPlace)
      (oldEnd, newEnd) = (whole.old + whole.length, whole.new + whole.length)
    }
    return builder.edit
  }
}

extension EditGraph.Match {
  /// The match without a half of a surrogate pair at its ends.
  fileprivate func withoutHalfPairs(in units: [UInt16]) -> EditGraph.Match {
    var result = self
    if result.length > 0, UTF16.isTrailSurrogate(units[result.old]) {
      result.old += 1
      result.new += 1
      result.length -= 1
    }
    if result.length > 0, UTF16.isLeadSurrogate(units[result.old + result.length - 1]) { result.length -= 1 }
    return result
  }
}
