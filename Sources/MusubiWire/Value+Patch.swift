// SPDX-License-Identifier: Apache-2.0

extension Value {
  /// Applies a patch as a whole: if one operation fails, nothing has changed.
  ///
  /// - Parameter operations: The steps, each in the value as the earlier ones left it.
  /// - Throws: `WireError` with the index of the operation that failed, and why.
  public mutating func apply(_ operations: [Operation]) throws(WireError) {
    // Values share their storage until they change, so the copy costs only what the patch touches.
    var result = self
    for (index, operation) in operations.enumerated() { try result.apply(operation, index) }
    self = result
  }

  private mutating func apply(_ operation: Operation, _ index: Int) throws(WireError) {
    switch operation {
    case .add(let path, let value): try add(value, at: path, index)
    case .remove(let path): _ = try remove(at: path, index)
    case .replace(let path, let value):
      try change(path.tokens[...], path, index) { target throws(WireError) in target = value }
    case .move(let from, let path):
      let isInside = path.tokens.count > from.tokens.count && path.tokens.starts(with: from.tokens)
      guard !isInside else { throw WireError(.moveIntoItself(from.description), at: index) }
      if from == path {
        _ = try value(at: from, index)
      } else {
        try add(try remove(at: from, index), at: path, index)
      }
    case .copy(let from, let path): try add(try value(at: from, index), at: path, index)
    case .test(let path, let expected):
      guard try value(at: path, index) == expected else {
        throw WireError(.testFailed(path.description), at: index)
      }
    }
  }

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

  private func value(at path: JSONPointer, _ index: Int) throws(WireError) -> Value {
    guard let value = self[path] else { throw WireError(.noSuchPath(path.description), at: index) }
    return value
  }

  private mutating func add(_ value: Value, at path: JSONPointer, _ index: Int) throws(WireError) {
    guard let last = path.tokens.last else {
      self = value
      return
    }
    try change(path.tokens.dropLast(), path, index) { target throws(WireError) in
      switch target {
      case .object(var object):
        target = .null  // gives up the second reference, so that the change happens in place
        object[last] = value
        target = .object(object)
      case .array(var elements):
        let position = last == "-" ? elements.count : JSONPointer.index(last)
        guard let position, position <= elements.count else {
          throw WireError(.noSuchPath(path.description), at: index)
        }
        target = .null
        elements.insert(value, at: position)
        target = .array(elements)
      default: throw WireError(.noSuchPath(path.description), at: index)
      }
    }
  }

  private mutating func remove(at path: JSONPointer, _ index: Int) throws(WireError) -> Value {
    let removed = try value(at: path, index)
    guard let last = path.tokens.last else {
      self = .null
      return removed
    }
    try change(path.tokens.dropLast(), path, index) { target throws(WireError) in
      switch target {
      case .object(var object):
        target = .null
        object[last] = nil
        target = .object(object)
      case .array(var elements):
        target = .null
        if let position = JSONPointer.index(last) { elements.remove(at: position) }
        target = .array(elements)
      default: break
      }
    }
    return removed
  }

  /// Walks down those tokens and changes the value there, in place.
  private mutating func change(
    _ tokens: ArraySlice<String>, _ path: JSONPointer, _ index: Int,
    _ body: (inout Value) throws(WireError) -> Void
  ) throws(WireError) {
    guard let token = tokens.first else { return try body(&self) }
    switch self {
    case .object(var object):
      guard let position = object.position(of: token) else { break }
      self = .null
      try object.members[position].value.change(tokens.dropFirst(), path, index, body)
      self = .object(object)
      return
    case .array(var elements):
      guard let position = JSONPointer.index(token), position < elements.count else { break }
      self = .null
      try elements[position].change(tokens.dropFirst(), path, index, body)
      self = .array(elements)
      return
    default: break
    }
    throw WireError(.noSuchPath(path.description), at: index)
  }
}
