// SPDX-License-Identifier: Apache-2.0

/// Finds the connections again that were asked for lately, without hashing their numbers.
///
/// Numbers ascend, so each is looked for at one place of a table; one that another has taken is found elsewhere, and put
/// back.
package struct RecentConnections<Connection: AnyObject> {
  @usableFromInline var entries: [(id: UInt64, connection: Connection?)]

  /// An empty table.
  package init() { entries = Array(repeating: (0, nil), count: 1_024) }

  /// The connection of that number, if it is at hand; nil takes it out.
  @inlinable package subscript(id: ConnectionID) -> Connection? {
    get {
      let place = Int(truncatingIfNeeded: id.rawValue & 1_023)
      return entries[place].id == id.rawValue ? entries[place].connection : nil
    }
    set {
      let place = Int(truncatingIfNeeded: id.rawValue & 1_023)
      if let newValue {
        entries[place] = (id.rawValue, newValue)
      } else if entries[place].id == id.rawValue {
        entries[place] = (0, nil)
      }
    }
  }
}
