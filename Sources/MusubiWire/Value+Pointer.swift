// SPDX-License-Identifier: Apache-2.0

extension Value {
  /// The value at that place, or nil.
  public subscript(pointer: JSONPointer) -> Value? {
    var current = self
    for token in pointer.tokens {
      switch current {
      case .object(let object):
        guard let next = object[token] else { return nil }
        current = next
      case .array(let elements):
        guard let index = JSONPointer.index(token), index < elements.count else { return nil }
        current = elements[index]
      default: return nil
      }
    }
    return current
  }

  /// Walks down to a place and changes what is there, without a copy of what lies beside it.
  ///
  /// - Parameters:
  ///   - tokens: The way.
  ///   - body: Makes the change.
  /// - Throws: `WireError` if there is no such place, and what `body` throws.
  package mutating func change(
    _ tokens: ArraySlice<String>, _ body: (inout Value) throws(WireError) -> Void
  ) throws(WireError) {
    guard let token = tokens.first else { return try body(&self) }
    switch self {
    case .object(var object):
      guard let position = object.position(of: token) else { break }
      self = .null  // gives up the second reference, so that the change happens in place
      try object.members[position].value.change(tokens.dropFirst(), body)
      self = .object(object)
      return
    case .array(var elements):
      guard let position = JSONPointer.index(token), position < elements.count else { break }
      self = .null
      try elements[position].change(tokens.dropFirst(), body)
      self = .array(elements)
      return
    default: break
    }
    throw WireError(.noSuchPath(JSONPointer(Array(tokens)).description), at: 0)
  }
}
