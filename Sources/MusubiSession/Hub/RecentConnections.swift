// SPDX-License-Identifier: Apache-2.0

/// Finds the connections again that were asked for lately, without hashing their numbers.
///
/// Numbers ascend, so each is looked for at one place of a table; one that another has taken is found elsewhere, and put
/// back. Not generic: what is generic over another module's class looks up its metadata each time.
package struct RecentConnections {
  private var entries: [(id: UInt64, connection: AnyObject?)]

  /// An empty table.
  package init() { entries = Array(repeating: (0, nil), count: 1_024) }

  /// The connection of that number, as it was put in, if it is at hand; nil takes it out.
  package subscript(id: ConnectionID) -> AnyObject? {
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
