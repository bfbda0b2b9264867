// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

extension JSONReader {
  /// Reads an operation; members that it does not need are ignored, as RFC 6902 says.
  mutating func readOperation() throws(WireError) -> Operation {
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
  /// - Throws: `WireError` with the offset of what is not allowed.
  package static func patch(json: [UInt8]) throws(WireError) -> [Operation] {
    try json.withReader { reader throws(WireError) in
      var operations: [Operation] = []
      try reader.readElements { inner throws(WireError) in operations.append(try inner.readOperation()) }
      try reader.finish()
      return operations
    }
  }
}
