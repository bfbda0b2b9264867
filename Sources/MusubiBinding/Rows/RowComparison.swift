// SPDX-License-Identifier: Apache-2.0

/// How rows are compared, if their type says how; nothing is copied or cast for it.
///
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
    areSame = { left, right in same(left).pointee == same(right).pointee }
    run = { left, right, step, limit in
      let (left, right) = (same(left), same(right))
      var count = 0
      while count < limit, left[count * step] == right[count * step] { count += 1 }
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
