// SPDX-License-Identifier: Apache-2.0

/// The shortest way through the edit graph of two lists, greedily, from the start.
///
/// `reach[k]` is the furthest place in the old list on diagonal *k* (place in the old list minus place in the new one). In
/// round *d* the diagonals −d, −d+2, … d are extended: from `reach[k+1]` (an insertion) if *k* is −d, or if it is not *d*
/// and `reach[k−1] < reach[k+1]`; else from `reach[k−1] + 1` (a deletion); then along equal elements. This choice in a
/// tie is part of what `TextEdit.diff` promises.
///
/// - Note: After E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986).
package enum EditGraph {
  /// A run of elements that both lists have.
  package struct Match {
    /// Where it begins in the old list.
    package var old: Int
    /// Where it begins in the new list.
    package var new: Int
    /// How many elements it has.
    package var length: Int

    package init(old: Int, new: Int, length: Int) { (self.old, self.new, self.length) = (old, new, length) }
  }

  /// The runs of elements that stay when others leave and come.
  ///
  /// - Parameters:
  ///   - old: The length of the old list.
  ///   - new: The length of the new list.
  ///   - maximumCost: The most insertions and deletions of single elements.
  ///   - isEqual: Whether an element of the old list is one of the new one, by their places.
  /// - Returns: The runs from left to right; nil if more insertions and deletions are needed.
  /// - Complexity: O(n + d²) comparisons for n elements and d that differ, at most `maximumCost`.
  package static func matches(
    _ old: Int, _ new: Int, maximumCost: Int, _ isEqual: (Int, Int) -> Bool
  ) -> [Match]? {
    guard old > 0, new > 0 else { return [] }
    let limit = min(maximumCost, old + new)
    guard abs(old - new) <= limit else { return nil }
    var reach = [Int](repeating: 0, count: 2 * limit + 3)
    let center = limit + 1
    var rounds: [[Int]] = []  // reach[-d...d] after each round
    for cost in 0...limit {
      for diagonal in stride(from: -cost, through: cost, by: 2) {
        let inserts = Self.inserts(
          diagonal, cost, below: reach[center + diagonal - 1], above: reach[center + diagonal + 1])
        var x = inserts ? reach[center + diagonal + 1] : reach[center + diagonal - 1] + 1
        while x < old, x - diagonal < new, isEqual(x, x - diagonal) { x += 1 }
        reach[center + diagonal] = x
        if x >= old, x - diagonal >= new { return matches(endingAt: old, new, rounds, cost: cost) }
      }
      rounds.append(Array(reach[center - cost...center + cost]))
    }
    return nil
  }

  private static func inserts(_ diagonal: Int, _ cost: Int, below: Int, above: Int) -> Bool {
    diagonal == -cost || (diagonal != cost && below < above)
  }

  /// Goes the way back from the ends of both lists.
  private static func matches(endingAt old: Int, _ new: Int, _ rounds: [[Int]], cost: Int) -> [Match] {
    var matches: [Match] = []
    var (x, y) = (old, new)
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
      if x > start { matches.append(Match(old: start, new: start - diagonal, length: x - start)) }
      (x, y) = (lastX, lastY)
    }
    if x > 0 { matches.append(Match(old: 0, new: 0, length: x)) }
    return matches.reversed()
  }
}
