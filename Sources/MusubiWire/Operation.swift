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
    if let value { append(#","value":"#, value) }
    append(.rightBrace)
  }
}
