// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

extension Value {
  /// Applies a patch as a whole: if one operation fails, nothing has changed.
  ///
  /// - Parameter operations: The steps, each in the value as the earlier ones left it.
  /// - Throws: `WireError` with the index of the operation that failed, and why.
  package mutating func apply(_ operations: [Operation]) throws(WireError) {
    // Values share their storage until they change, so the copy costs only what the patch touches.
    var result = self
    for (index, operation) in operations.enumerated() {
      do throws(WireError) { try result.apply(operation) } catch { throw WireError(error.kind, at: index) }
    }
    self = result
  }

  private mutating func apply(_ operation: Operation) throws(WireError) {
    switch operation {
    case .add(let path, let value): try add(value, at: path)
    case .remove(let path): _ = try remove(at: path)
    case .replace(let path, let value):
      try change(path.tokens[...]) { target throws(WireError) in target = value }
    case .move(let from, let path):
      let isInside = path.tokens.count > from.tokens.count && path.tokens.starts(with: from.tokens)
      guard !isInside else { throw WireError(.moveIntoItself(from.description), at: 0) }
      if from == path {
        _ = try value(at: from)
      } else {
        try add(try remove(at: from), at: path)
      }
    case .copy(let from, let path): try add(try value(at: from), at: path)
    case .test(let path, let expected):
      guard try value(at: path) == expected else {
        throw WireError(.testFailed(path.description), at: 0)
      }
    }
  }

  private func value(at path: JSONPointer) throws(WireError) -> Value {
    guard let value = self[path] else { throw WireError(.noSuchPath(path.description), at: 0) }
    return value
  }

  private mutating func add(_ value: Value, at path: JSONPointer) throws(WireError) {
    guard let last = path.tokens.last else {
      self = value
      return
    }
    try change(path.tokens.dropLast()) { target throws(WireError) in
      switch target {
      case .object(var object):
        target = .null  // gives up the second reference, so that the change happens in place
        object[last] = value
        target = .object(object)
      case .array(var elements):
        let position = last == "-" ? elements.count : JSONPointer.index(last)
        guard let position, position <= elements.count else {
          throw WireError(.noSuchPath(path.description), at: 0)
        }
        target = .null
        elements.insert(value, at: position)
        target = .array(elements)
      default: throw WireError(.noSuchPath(path.description), at: 0)
      }
    }
  }

  private mutating func remove(at path: JSONPointer) throws(WireError) -> Value {
    let removed = try value(at: path)
    guard let last = path.tokens.last else {
      self = .null
      return removed
    }
    try change(path.tokens.dropLast()) { target throws(WireError) in
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
}
