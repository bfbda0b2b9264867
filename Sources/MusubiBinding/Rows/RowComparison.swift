// SPDX-License-Identifier: Apache-2.0

/// How rows are compared, if their type says how.
///
/// Rows of the same bytes are equal without a look at what they are, which spares a copy of each for a call of `==`.
/// Objects are not compared: one may have been changed since, and would be equal to itself.
struct RowComparison<Row> {
  private let areSame: (_ left: UnsafePointer<Row>, _ right: UnsafePointer<Row>) -> Bool
  private let run: (_ left: UnsafePointer<Row>, _ right: UnsafePointer<Row>, _ step: Int, _ limit: Int) -> Int

  /// nil if the rows cannot be compared.
  init?() {
    guard !(Row.self is AnyObject.Type), let type = Row.self as? any Equatable.Type else { return nil }
    self.init(type)
  }

  private init<Comparable: Equatable>(_ type: Comparable.Type) {
    let size = MemoryLayout<Row>.size
    func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
      left.assumingMemoryBound(to: Comparable.self).pointee
        == right.assumingMemoryBound(to: Comparable.self).pointee
    }
    areSame = { left, right in
      commonRows(left, right, ofBytes: size, every: 0, atMost: 1) == 1 || areEqual(left, right)
    }
    run = { left, right, step, limit in
      let stride = step * MemoryLayout<Row>.stride
      var (left, right) = (UnsafeRawPointer(left), UnsafeRawPointer(right))
      var count = 0
      while count < limit {
        let same = commonRows(left, right, ofBytes: size, every: stride, atMost: limit - count)
        count += same
        left += same * stride
        right += same * stride
        guard count < limit, areEqual(left, right) else { break }
        count += 1
        left += stride
        right += stride
      }
      return count
    }
  }

  /// Whether two rows are equal.
  func isSame(_ left: Row, _ right: Row) -> Bool {
    withUnsafePointer(to: left) { left in withUnsafePointer(to: right) { areSame(left, $0) } }
  }

  /// How many rows are equal at the beginning, or at the end, of both lists.
  func common(_ left: [Row], _ right: [Row], fromEnd: Bool, atMost limit: Int) -> Int {
    left.withUnsafeBufferPointer { left in
      right.withUnsafeBufferPointer { right in
        guard limit > 0, let one = left.baseAddress, let other = right.baseAddress else { return 0 }
        if one == other, left.count == right.count { return limit }
        return fromEnd
          ? run(one + (left.count - 1), other + (right.count - 1), -1, limit) : run(one, other, 1, limit)
      }
    }
  }
}

/// How many rows have the same bytes, from the first one on. (Not generic, and here: it is all that a long list costs.)
///
/// - Parameters:
///   - left: The first row of one list.
///   - right: The first row of the other.
///   - size: The bytes of a row without what is unused behind it.
///   - stride: The bytes from one row to the next; negative towards the beginning.
///   - limit: How many there are.
/// - Returns: The number of them; 0 if a row has less than 16 bytes, whose `==` costs no more than to look at them.
private func commonRows(
  _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, ofBytes size: Int, every stride: Int, atMost limit: Int
) -> Int {
  guard size >= 16 else { return 0 }
  for row in 0..<limit {
    let (left, right) = (left + row &* stride, right + row &* stride)
    func difference(at offset: Int) -> SIMD2<UInt64> {
      left.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
        ^ right.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
    }
    // The last 16 bytes may overlap those before. One branch for each row takes 40 per cent of the time of one for each word.
    var differences = difference(at: size &- 16)
    var offset = 0
    while offset < size &- 16 {
      differences |= difference(at: offset)
      offset &+= 16
    }
    guard differences.x | differences.y == 0 else { return row }
  }
  return limit
}
