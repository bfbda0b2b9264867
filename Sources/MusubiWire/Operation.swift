// SPDX-License-Identifier: Apache-2.0

/// One step of a JSON Patch (RFC 6902).
public enum Operation: Equatable, Sendable {
  /// Puts a value at the path: a member is set, an element inserted; `-` is the place after the last element.
  case add(path: JSONPointer, value: Value)
  /// Takes the value at the path out.
  case remove(path: JSONPointer)
  /// Puts a value in the place of the one at the path.
  case replace(path: JSONPointer, value: Value)
  /// Takes the value at `from` out and adds it at the path.
  case move(from: JSONPointer, path: JSONPointer)
  /// Adds the value at `from` at the path, too.
  case copy(from: JSONPointer, path: JSONPointer)
  /// Fails the patch unless the path holds an equal value.
  case test(path: JSONPointer, value: Value)

  /// Where the operation acts.
  public var path: JSONPointer {
    switch self {
    case .add(let path, _), .remove(let path), .replace(let path, _), .move(_, let path), .copy(_, let path),
      .test(let path, _):
      path
    }
  }
}

extension Operation: CustomStringConvertible {
  /// The operation as JSON.
  public var description: String {
    String(writing: { $0.appendJSON(self) })
  }
}

extension ByteBuffer {
  /// Appends an operation as JSON.
  package mutating func appendJSON(_ operation: Operation) {
    switch operation {
    case .add(_, let value):
      appendRaw(#"{"op":"add","path":"#)
      appendRest(path: operation.path, value: value)
    case .remove:
      appendRaw(#"{"op":"remove","path":"#)
      appendRest(path: operation.path, value: nil)
    case .replace(_, let value):
      appendRaw(#"{"op":"replace","path":"#)
      appendRest(path: operation.path, value: value)
    case .move(let from, _):
      appendRaw(#"{"op":"move","from":"#)
      appendJSON(from)
      appendRaw(#","path":"#)
      appendRest(path: operation.path, value: nil)
    case .copy(let from, _):
      appendRaw(#"{"op":"copy","from":"#)
      appendJSON(from)
      appendRaw(#","path":"#)
      appendRest(path: operation.path, value: nil)
    case .test(_, let value):
      appendRaw(#"{"op":"test","path":"#)
      appendRest(path: operation.path, value: value)
    }
  }

  private mutating func appendRest(path: JSONPointer, value: Value?) {
    appendJSON(path)
    if let value {
      appendRaw(#","value":"#)
      appendJSON(value)
    }
    append(.rightBrace)
  }
}

extension JSONReader {
  /// Reads an operation; members that it does not need are ignored, as RFC 6902 says.
  package mutating func readOperation() throws(WireError) -> Operation {
    let start = offset
    var name: String?
    var path: JSONPointer?
    var from: JSONPointer?
    var value: Value?
    try readMembers { reader, key throws(WireError) in
      switch key {
      case "op": name = try reader.readString()
      case "path": path = try reader.readPointer()
      case "from": from = try reader.readPointer()
      case "value": value = try reader.readValue()
      default: try reader.skipValue()
      }
    }
    func required<Part>(_ part: Part?, _ member: String) throws(WireError) -> Part {
      guard let part else { throw WireError(.missingMember(member), at: start) }
      return part
    }
    let target = try required(path, "path")
    switch try required(name, "op") {
    case "add": return .add(path: target, value: try required(value, "value"))
    case "remove": return .remove(path: target)
    case "replace": return .replace(path: target, value: try required(value, "value"))
    case "move": return .move(from: try required(from, "from"), path: target)
    case "copy": return .copy(from: try required(from, "from"), path: target)
    case "test": return .test(path: target, value: try required(value, "value"))
    case let other: throw WireError(.unknownOperation(other), at: start)
    }
  }

  private mutating func readPointer() throws(WireError) -> JSONPointer {
    let start = offset
    do throws(WireError) {
      return try JSONPointer(parsing: try readString())
    } catch {
      throw WireError(error.kind, at: max(start, error.offset))
    }
  }
}

extension Operation {
  /// Reads a whole patch from bytes.
  ///
  /// - Parameter json: A JSON array of operations in UTF-8.
  /// - Returns: The operations in their order.
  /// - Throws: `WireError` with the offset of the mistake.
  public static func patch(json: [UInt8]) throws(WireError) -> [Operation] {
    try json.withReader { reader throws(WireError) in
      var operations: [Operation] = []
      try reader.readElements { inner throws(WireError) in operations.append(try inner.readOperation()) }
      try reader.finish()
      return operations
    }
  }
}
