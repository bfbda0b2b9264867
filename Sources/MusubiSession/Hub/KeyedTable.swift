// SPDX-License-Identifier: Apache-2.0

/// An object that is found by a key of its own, which never changes.
protocol Keyed: AnyObject {
  associatedtype Key: Hashable
  var key: Key { get }
}

/// Objects by their own keys: one word for each place, where a dictionary has the key besides.
///
/// Places are probed one after the other from the key's own, of which at most three quarters are taken. A removal moves up
/// those that had given way, so that coming and going leaves nothing behind.
struct KeyedTable<Object: Keyed> {
  private var places: [Object?] = []
  /// How many objects there are.
  private(set) var count = 0

  /// The objects, in no order.
  var values: some Sequence<Object> { places.lazy.compactMap { $0 } }

  /// The object of a key; to be set to nil, or to an object that has the key.
  subscript(key: Object.Key) -> Object? {
    get {
      guard count > 0 else { return nil }
      return places[place(of: key)]
    }
    set {
      guard let newValue else {
        remove(key)
        return
      }
      precondition(newValue.key == key, "An object is entered under its own key.")
      if (count + 1) * 4 > places.count * 3 { grow() }
      let place = place(of: key)
      if places[place] == nil { count += 1 }
      places[place] = newValue
    }
  }

  /// Takes an object out.
  ///
  /// - Returns: The object; nil if there is none of that key.
  @discardableResult mutating func remove(_ key: Object.Key) -> Object? {
    guard count > 0 else { return nil }
    var hole = place(of: key)
    guard let removed = places[hole] else { return nil }
    places[hole] = nil
    count -= 1
    var next = (hole + 1) & mask
    while let object = places[next] {
      // It had to pass the hole on the way from its own place.
      if (next - home(of: object.key)) & mask >= (next - hole) & mask {
        places.swapAt(hole, next)
        hole = next
      }
      next = (next + 1) & mask
    }
    return removed
  }

  private var mask: Int { places.count - 1 }

  private func home(of key: Object.Key) -> Int { key.hashValue & mask }

  /// Where the object of a key is, or would be entered; there is always a free place.
  private func place(of key: Object.Key) -> Int {
    var place = home(of: key)
    while let object = places[place], object.key != key { place = (place + 1) & mask }
    return place
  }

  private mutating func grow() {
    let old = places
    places = Array(repeating: nil, count: max(8, old.count * 2))
    for case let object? in old { places[place(of: object.key)] = object }
  }
}

extension Room: Keyed {}

extension Session: Keyed {
  var key: String { id }
}

extension Connection: Keyed {
  var key: ConnectionID { id }
}
