// SPDX-License-Identifier: Apache-2.0

/// The order of the operations for a list of rows, each addressing rows as the earlier ones left them:
///
/// ```
/// old  a b c d e        removed   d (from the end, so that indices stay what they were)
/// new  c x a b e        then from left to right over the new list:
///                       a, b, e stay: an increasing subsequence of old places, as long as possible
///                       c moves to 0, x is added at 1
/// then                  what changed inside of rows that were there before, at their new places
/// ```
///
/// Rows that still wait to be moved away lie between the rows that stay. Of those in the gap after the n-th row that
/// stays, all that is put into this gap is put in front. So where a row is, is a matter of counting.
extension Diff {
  /// Compares two lists of rows.
  ///
  /// - Parameters:
  ///   - old: The whole old list.
  ///   - new: The whole new list.
  ///   - oldRange: The part of the old list to compare.
  ///   - newRange: The part of the new list to compare; both begin at the same place.
  ///   - sources: For each row of `newRange` its place in `old`, or nil if it is new.
  mutating func compareRows(
    _ old: [Value], _ new: [Value], _ oldRange: Range<Int>, _ newRange: Range<Int>, _ sources: [Int?]
  ) {
    let start = newRange.lowerBound
    var newPlaces = [Int?](repeating: nil, count: oldRange.count)
    for (index, source) in sources.enumerated() {
      if let source { newPlaces[source - start] = start + index }
    }
    for place in oldRange.reversed() where newPlaces[place - start] == nil { removeElement(at: place) }

    let kept = sources.compactMap { $0 }
    let staying = Self.longestIncreasingSubsequence(kept)
    var stays = [Bool](repeating: false, count: oldRange.count)
    for place in staying { stays[place - start] = true }
    var waiting = WaitingRows(moving: kept.filter { !stays[$0 - start] }, staying: staying)
    for (place, source) in zip(newRange, sources) {
      guard let source else {
        addElement(new[place], at: waiting.destination(of: place))
        continue
      }
      guard !stays[source - start] else {
        waiting.pass()
        continue
      }
      let from = waiting.remove(source, before: place) { newPlaces[$0 - start] ?? place }
      let target = waiting.destination(of: place)
      if from != target {
        operations.append(.move(from: pointer(to: from), path: pointer(to: target)))
      }
    }
    for (place, source) in zip(newRange, sources) {
      if let source { compareInPlace(old[source], new[place], at: place) }
    }
  }

  /// One of the longest increasing subsequences of distinct numbers, by the patience method.
  static func longestIncreasingSubsequence(_ numbers: [Int]) -> [Int] {
    var tails: [Int] = []  // index of the smallest last number of a run of each length
    var before = [Int](repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if numbers[tails[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var result: [Int] = []
    var index = tails.last ?? -1
    while index >= 0 {
      result.append(numbers[index])
      index = before[index]
    }
    return result.reversed()
  }
}

/// The rows that are still to be moved, and where they are now.
private struct WaitingRows {
  /// Old places of the moving rows, ascending.
  private let moving: [Int]
  /// Old places of the staying rows, ascending.
  private let staying: [Int]
  /// For each moving row, how many staying rows are in front of it.
  private let gap: [Int]
  /// How many moving rows wait, as a binary indexed tree after Fenwick (1994).
  private var tree: [Int]
  /// How many staying rows have been passed.
  private var passed = 0

  init(moving: [Int], staying: [Int]) {
    let moving = moving.sorted()
    var gaps: [Int] = []
    var count = 0
    for place in moving {
      while count < staying.count, staying[count] < place { count += 1 }
      gaps.append(count)
    }
    self.moving = moving
    self.staying = staying
    gap = gaps
    tree = (0...moving.count).map { $0 & -$0 }
  }

  /// Where the row that belongs to that place of the new list is to be put now.
  func destination(of place: Int) -> Int {
    place + waiting(before: Self.partition(gap) { $0 < passed })
  }

  /// A row that stays is reached.
  mutating func pass() { passed += 1 }

  /// Takes a row out of those that wait.
  ///
  /// - Parameters:
  ///   - source: The row's old place.
  ///   - place: The place of the new list that has been reached.
  ///   - newPlaceOf: The new place of a staying row, by its old one.
  /// - Returns: Where the row is now.
  mutating func remove(_ source: Int, before place: Int, newPlaceOf: (Int) -> Int) -> Int {
    let index = Self.partition(moving) { $0 < source }
    let staysInFront = gap[index]
    let placed =
      staysInFront >= passed ? place + (staysInFront - passed) : newPlaceOf(staying[staysInFront])
    let result = placed + waiting(before: index)
    var node = index + 1
    while node < tree.count {
      tree[node] -= 1
      node += node & -node
    }
    return result
  }

  /// How many of the first `count` moving rows still wait.
  private func waiting(before count: Int) -> Int {
    var sum = 0
    var node = count
    while node > 0 {
      sum += tree[node]
      node -= node & -node
    }
    return sum
  }

  /// The index of the first number for which the condition fails.
  private static func partition(_ numbers: [Int], _ condition: (Int) -> Bool) -> Int {
    var low = 0
    var high = numbers.count
    while low < high {
      let middle = (low + high) / 2
      if condition(numbers[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
