// SPDX-License-Identifier: Apache-2.0

extension TextEdit {
  /// Most insertions and deletions of single units that `diff` looks for before it replaces the whole middle.
  package static let maximumDiffCost = 64
  /// Most of them that are looked for where two versions of a text come together again.
  package static let maximumComparisonCost = 256

  /// An edit that turns one text into another.
  ///
  /// The result is exact, so that another program can find the same one:
  /// 1. *Matches* are found as (place in `old`, place in `new`, length), in UTF-16 units.
  ///    - Texts of equal length, if `byPlace`: every maximal run of equal units at the same place.
  ///    - Others: the longest common prefix; then the longest common suffix that overlaps it in neither text (after
  ///      rule 2 was applied to the prefix; it is applied to the suffix at once, too); then, if both middles have
  ///      units, the matches of their edit graph as `Myers` finds them; if that costs more than `maximumDiffCost`
  ///      insertions and deletions, none.
  /// 2. A match whose last unit is a high surrogate is shortened by it, and one whose first unit is a low surrogate
  ///    likewise, so that no pair is split.
  /// 3. What lies between two matches (and before the first, after the last) is one component, a substitution if it is as
  ///    long as its range and `byPlace`.
  ///
  /// - Parameters:
  ///   - old: The text before the edit.
  ///   - new: The text after it.
  ///   - byPlace: Whether a replacement as long as its range is a rewriting unit by unit, as upper-casing is.
  ///     Changes that a page has missed, or that a person has made, are none: there the units that both texts
  ///     have stay as they are.
  ///   - maximumCost: Most insertions and deletions of single units that are looked for.
  /// - Returns: The edit in normal form; empty if the texts have the same bytes.
  /// - Complexity: O(n) if the lengths are equal or one place has changed, else O(n · `maximumDiffCost`).
  /// - Note: Edit graph after E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986).
  package static func diff(
    from old: String, to new: String, byPlace: Bool = true, maximumCost: Int = maximumDiffCost
  ) -> TextEdit {
    guard !old.hasSameBytes(as: new) else { return TextEdit([]) }
    let before = Array(old.utf16)
    let after = Array(new.utf16)
    let matches =
      byPlace && before.count == after.count
      ? equalPlaces(before, after) : commonParts(before, after, maximumCost)
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

  private static func equalPlaces(_ old: [UInt16], _ new: [UInt16]) -> [Match] {
    var matches: [Match] = []
    var position = 0
    while position < old.count {
      let start = position
      while position < old.count, old[position] == new[position] { position += 1 }
      if position > start { matches.append(Match(old: start, new: start, length: position - start)) }
      while position < old.count, old[position] != new[position] { position += 1 }
    }
    return matches
  }

  private static func commonParts(_ old: [UInt16], _ new: [UInt16], _ maximumCost: Int) -> [Match] {
    let shorter = min(old.count, new.count)
    var prefix = 0
    while prefix < shorter, old[prefix] == new[prefix] { prefix += 1 }
    if prefix > 0, UTF16.isLeadSurrogate(old[prefix - 1]) { prefix -= 1 }
    var suffix = 0
    while suffix < shorter - prefix, old[old.count - 1 - suffix] == new[new.count - 1 - suffix] {
      suffix += 1
    }
    if suffix > 0, UTF16.isTrailSurrogate(old[old.count - suffix]) { suffix -= 1 }

    var matches = [Match(old: 0, new: 0, length: prefix)]
    let middle = Myers(
      old: old[prefix..<old.count - suffix], new: new[prefix..<new.count - suffix])
    matches += middle.matches(maximumCost: maximumCost) ?? []
    matches.append(Match(old: old.count - suffix, new: new.count - suffix, length: suffix))
    return matches
  }

  private static func edit(
    _ old: [UInt16], _ new: [UInt16], _ matches: [Match], _ byPlace: Bool
  ) -> TextEdit {
    var builder = EditBuilder()
    var (oldEnd, newEnd) = (0, 0)
    for match in matches + [Match(old: old.count, new: new.count, length: 0)] {
      let whole = match.withoutHalfPairs(in: old)
      let inserted = String(decoding: new[newEnd..<whole.new], as: UTF16.self)
      // Nothing may be joined over a match that has become empty; the builder joins what touches anyway.
      builder.append(oldEnd, whole.old - oldEnd, inserted, isSubstitution: byPlace)
      (oldEnd, newEnd) = (whole.old + whole.length, whole.new + whole.length)
    }
    return builder.edit
  }
}

/// A run of units that both texts have.
private struct Match {
  var old: Int
  var new: Int
  var length: Int

  /// The match without a half of a surrogate pair at its ends.
  func withoutHalfPairs(in units: [UInt16]) -> Match {
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

/// The shortest way through the edit graph of two texts, greedily, from the start.
///
/// `reach[k]` is the furthest place in `old` on diagonal *k* (place in `old` minus place in `new`). In round *d* the
/// diagonals −d, −d+2, … d are extended: from `reach[k+1]` (an insertion) if *k* is −d, or if it is not *d* and
/// `reach[k−1] < reach[k+1]`; else from `reach[k−1] + 1` (a deletion); then along equal units. This choice in a
/// tie is part of what `diff` promises.
private struct Myers {
  let old: ArraySlice<UInt16>
  let new: ArraySlice<UInt16>

  /// The matches from left to right, or nil if more insertions and deletions are needed than that.
  func matches(maximumCost: Int) -> [Match]? {
    guard !old.isEmpty, !new.isEmpty else { return [] }
    let limit = min(maximumCost, old.count + new.count)
    guard abs(old.count - new.count) <= limit else { return nil }
    var reach = [Int](repeating: 0, count: 2 * limit + 3)
    let center = limit + 1
    var rounds: [[Int]] = []  // reach[-d...d] after each round
    for cost in 0...limit {
      for diagonal in stride(from: -cost, through: cost, by: 2) {
        let inserts = Self.inserts(
          diagonal, cost, below: reach[center + diagonal - 1], above: reach[center + diagonal + 1])
        var x = inserts ? reach[center + diagonal + 1] : reach[center + diagonal - 1] + 1
        var y = x - diagonal
        while x < old.count, y < new.count, old[old.startIndex + x] == new[new.startIndex + y] {
          x += 1
          y += 1
        }
        reach[center + diagonal] = x
        if x >= old.count, y >= new.count { return matches(from: rounds, cost: cost) }
      }
      rounds.append(Array(reach[center - cost...center + cost]))
    }
    return nil
  }

  private static func inserts(_ diagonal: Int, _ cost: Int, below: Int, above: Int) -> Bool {
    diagonal == -cost || (diagonal != cost && below < above)
  }

  /// Goes the way back from the ends of both texts.
  private func matches(from rounds: [[Int]], cost: Int) -> [Match] {
    var matches: [Match] = []
    var x = old.count
    var y = new.count
    for round in stride(from: cost, to: 0, by: -1) {
      let reach = rounds[round - 1]
      func furthest(_ diagonal: Int) -> Int {
        let index = diagonal + round - 1
        return reach.indices.contains(index) ? reach[index] : 0
      }
      let diagonal = x - y
      let inserts = Self.inserts(
        diagonal, round, below: furthest(diagonal - 1), above: furthest(diagonal + 1))
      let lastX = furthest(inserts ? diagonal + 1 : diagonal - 1)
      let lastY = lastX - (inserts ? diagonal + 1 : diagonal - 1)
      let start = inserts ? lastX : lastX + 1
      if x > start { matches.append(match(start, start - diagonal, x - start)) }
      (x, y) = (lastX, lastY)
    }
    if x > 0 { matches.append(match(0, 0, x)) }
    return matches.reversed()
  }

  private func match(_ x: Int, _ y: Int, _ length: Int) -> Match {
    Match(old: old.startIndex + x, new: new.startIndex + y, length: length)
  }
}
