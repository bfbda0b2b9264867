// SPDX-License-Identifier: Apache-2.0
import MusubiText
import MusubiWire

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
    func same(_ pointer: UnsafePointer<Row>) -> UnsafePointer<Comparable> {
      UnsafeRawPointer(pointer).assumingMemoryBound(to: Comparable.self)
    }
    func haveSameBytes(_ left: UnsafePointer<Row>, _ right: UnsafePointer<Row>) -> Bool {
      let size = MemoryLayout<Row>.size
      return UnsafeRawBufferPointer(start: left, count: size)
        .hasSameBytes(as: UnsafeRawBufferPointer(start: right, count: size))
    }
    areSame = { left, right in haveSameBytes(left, right) || same(left).pointee == same(right).pointee }
    run = { left, right, step, limit in
      var count = 0
      while count < limit {
        let (one, other) = (left + count * step, right + count * step)
        guard haveSameBytes(one, other) || same(one).pointee == same(other).pointee else { break }
        count += 1
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
