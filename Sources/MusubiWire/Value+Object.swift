// SPDX-License-Identifier: Apache-2.0
import MusubiText

extension Value {
  /// The members of a JSON object, in the order in which they were set.
  ///
  /// Rows of a list have a handful of members, so these are pairs in an array: less memory than a dictionary,
  /// and quicker to read up to some twenty members. Equality does not look at the order.
  public struct Object: Sendable {
    /// A name and its value.
    public struct Member: Sendable {
      /// The name, unique within the object.
      public let key: String
      /// The value of that name.
      public var value: Value

      /// Joins a name and a value.
      public init(key: String, value: Value) {
        self.key = key
        self.value = value
      }
    }

    /// From this size on, looking names up one by one would cost more than an index.
    static let indexedSize = 24

    /// The members; no two have the same key.
    package internal(set) var members: [Member]

    /// Makes an object without members.
    public init() { members = [] }

    /// Trusts the caller that no name occurs twice.
    package init(uniqueMembers: [Member]) { members = uniqueMembers }

    /// Makes room for that many members.
    public mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

    /// The value of that name; setting nil removes the member.
    public subscript(key: String) -> Value? {
      get { position(of: key).map { members[$0].value } }
      set {
        switch (position(of: key), newValue) {
        case (let position?, let value?): members[position].value = value
        case (let position?, nil): members.remove(at: position)
        case (nil, let value?): members.append(Member(key: key, value: value))
        case (nil, nil): break
        }
      }
    }

    /// Where the member of that name is, or nil.
    func position(of key: String) -> Int? {
      for position in members.indices where members[position].key.hasSameBytes(as: key) { return position }
      return nil
    }

    /// Where the member of that name is; quick if it is where it would be in an object of the same shape.
    func position(of key: String, near hint: Int) -> Int? {
      if hint < members.count, members[hint].key.hasSameBytes(as: key) { return hint }
      return position(of: key)
    }

    /// Whether both are one array in memory, which makes them equal without a look at the members.
    func isSameStorage(as other: Object) -> Bool {
      members.withUnsafeBufferPointer { mine in
        other.members.withUnsafeBufferPointer { $0.baseAddress == mine.baseAddress && $0.count == mine.count }
      }
    }
  }
}

extension Value.Object: RandomAccessCollection {
  /// The position of the first member.
  public var startIndex: Int { 0 }

  /// The position after the last member.
  public var endIndex: Int { members.count }

  /// The member at that position.
  public subscript(position: Int) -> Member { members[position] }
}

extension Value.Object: Equatable {
  /// Whether both have the same names with equal values, in any order.
  public static func == (left: Value.Object, right: Value.Object) -> Bool {
    guard left.count == right.count else { return false }
    if left.isSameStorage(as: right) { return true }
    var index: [ExactString: Int]?
    for (hint, member) in left.members.enumerated() {
      let found: Int?
      if right.members[hint].key.hasSameBytes(as: member.key) {
        found = hint
      } else if right.count < indexedSize {
        found = right.position(of: member.key)
      } else {
        let known = index ?? right.keyIndex()
        index = known
        found = known[ExactString(member.key)]
      }
      guard let found, right.members[found].value == member.value else { return false }
    }
    return true
  }

  /// The position of each member by its name, for large objects.
  func keyIndex() -> [ExactString: Int] {
    var index: [ExactString: Int] = [:]
    index.reserveCapacity(members.count)
    for (position, member) in members.enumerated() { index[ExactString(member.key)] = position }
    return index
  }
}
