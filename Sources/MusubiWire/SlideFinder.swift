// SPDX-License-Identifier: Apache-2.0

/// Finds which elements of a list stay when others leave and come.
///
/// ```
/// old  3 7 9 4        stays  7 9 4
/// new  7 9 4 5        gaps   old 0..<1, new 0..<0   and   old 4..<4, new 3..<4
/// ```
///
/// The search ends after `maxDistance` elements that differ; then nothing counts as staying, and the whole is one gap.
///
/// - Note: Edit script after E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986).
struct SlideFinder {
  /// A part of the old list that becomes a part of the new one.
  struct Gap: Equatable {
    var old: Range<Int>
    var new: Range<Int>
  }

  /// After so many elements that left or came the search is given up: it costs the square of them.
  static let maxDistance = 64

  /// The parts between the elements that stay.
  ///
  /// - Parameters:
  ///   - old: The old elements.
  ///   - new: The new elements.
  /// - Returns: The gaps in ascending order, each in the indices of the two slices; all else stays.
  /// - Complexity: O(n + d²) comparisons for n elements and d that differ, at most `maxDistance`.
  static func gaps(_ old: ArraySlice<Value>, _ new: ArraySlice<Value>) -> [Gap] {
    let whole = Gap(old: old.indices, new: new.indices)
    guard old.count > 1, new.count > 1, let rounds = rounds(old, new) else { return [whole] }
    return gaps(whole, rounds)
  }

  /// How far each diagonal reaches in the old list, round by round; round `d` has the diagonals -d, -d + 2, …, d.
  private static func rounds(_ old: ArraySlice<Value>, _ new: ArraySlice<Value>) -> [[Int]]? {
    var rounds: [[Int]] = []
    for distance in 0...maxDistance {
      var reached: [Int] = []
      for step in 0...distance {
        let diagonal = 2 * step - distance
        var place = rounds.last.map { start(of: step, in: $0) } ?? 0
        while place < old.count, place - diagonal < new.count,
          old[old.startIndex + place] == new[new.startIndex + place - diagonal]
        { place += 1 }
        reached.append(place)
        if place >= old.count, place - diagonal >= new.count {
          rounds.append(reached)
          return rounds
        }
      }
      rounds.append(reached)
    }
    return nil
  }

  /// Where the n-th diagonal of a round begins: an element left on the diagonal before, or came on the one behind.
  private static func start(of step: Int, in previous: [Int]) -> Int {
    let removed = step > 0 ? previous[step - 1] + 1 : -1
    let added = step < previous.count ? previous[step] : -1
    return max(removed, added)
  }

  /// Goes back through the rounds and joins the elements that left and came without one that stays between.
  private static func gaps(_ whole: Gap, _ rounds: [[Int]]) -> [Gap] {
    var gaps: [Gap] = []
    var (place, index) = (whole.old.upperBound, whole.new.upperBound)
    for distance in stride(from: rounds.count - 1, to: 0, by: -1) {
      let diagonal = (place - whole.old.lowerBound) - (index - whole.new.lowerBound)
      let step = (diagonal + distance) / 2
      let start = Self.start(of: step, in: rounds[distance - 1])
      let end = (old: whole.old.lowerBound + start, new: whole.new.lowerBound + start - diagonal)
      let wasRemoved = step > 0 && rounds[distance - 1][step - 1] + 1 == start
      (place, index) = wasRemoved ? (end.old - 1, end.new) : (end.old, end.new - 1)
      if let next = gaps.last, next.old.lowerBound == end.old, next.new.lowerBound == end.new {
        gaps[gaps.count - 1] = Gap(old: place..<next.old.upperBound, new: index..<next.new.upperBound)
      } else {
        gaps.append(Gap(old: place..<end.old, new: index..<end.new))
      }
    }
    return gaps.reversed()
  }
}
