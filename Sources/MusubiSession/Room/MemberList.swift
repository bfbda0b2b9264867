// SPDX-License-Identifier: Apache-2.0

/// The members of a room, or of a session, in order; mostly there is one: that takes one word, and no array.
///
/// There are tens of thousands of idle sessions with one screen each, in rooms with one member each.
struct MemberList: RandomAccessCollection, ExpressibleByArrayLiteral {
  private enum Contents {
    case none
    case one(Member)
    /// Two or more.
    case many([Member])
  }

  private var contents = Contents.none

  init(arrayLiteral members: Member...) { contents = Self.contents(of: members) }

  var startIndex: Int { 0 }

  var endIndex: Int {
    switch contents {
    case .none: 0
    case .one: 1
    case .many(let members): members.count
    }
  }

  subscript(position: Int) -> Member {
    switch contents {
    case .one(let member) where position == 0: member
    case .many(let members): members[position]
    case .none, .one: preconditionFailure("There are not so many.")
    }
  }

  var first: Member? {
    switch contents {
    case .none: nil
    case .one(let member): member
    case .many(let members): members.first
    }
  }

  /// The member at a position; nil behind the last one.
  func at(_ position: Int) -> Member? {
    switch contents {
    case .none: nil
    case .one(let member): position == 0 ? member : nil
    case .many(let members): position < members.count ? members[position] : nil
    }
  }

  func forEach(_ body: (Member) throws -> Void) rethrows {
    switch contents {
    case .none: return
    case .one(let member): try body(member)
    case .many(let members): try members.forEach(body)
    }
  }

  /// The member of a number; only in a room's list, which is in the order of the numbers.
  func member(_ number: Int) -> Member? {
    switch contents {
    case .none: return nil
    case .one(let member): return member.number == number ? member : nil
    case .many(let members):
      var low = 0
      var high = members.count
      while low < high {
        let middle = (low + high) / 2
        if members[middle].number < number { low = middle + 1 } else { high = middle }
      }
      return low < members.count && members[low].number == number ? members[low] : nil
    }
  }

  /// The member that shows a session's screen of that number.
  func member(showing screen: Int) -> Member? {
    switch contents {
    case .none: nil
    case .one(let member): member.screen == screen ? member : nil
    case .many(let members): members.first { $0.screen == screen }
    }
  }

  mutating func append(_ member: Member) { insert(member, at: count) }

  mutating func insert(_ member: Member, at position: Int) {
    if isEmpty { contents = .one(member) } else { change { $0.insert(member, at: position) } }
  }

  mutating func removeAll(where isGone: (Member) -> Bool) { change { $0.removeAll(where: isGone) } }

  mutating func removeLast(_ count: Int) { change { $0.removeLast(count) } }

  private mutating func change(_ body: (inout [Member]) -> Void) {
    var members =
      switch contents {
      case .none: [Member]()
      case .one(let member): [member]
      case .many(let members): members
      }
    // The array has no other owner while it changes.
    contents = .none
    body(&members)
    contents = Self.contents(of: members)
  }

  private static func contents(of members: [Member]) -> Contents {
    members.count > 1 ? .many(members) : members.first.map(Contents.one) ?? .none
  }
}
