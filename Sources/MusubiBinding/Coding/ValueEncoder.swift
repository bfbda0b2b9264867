// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

/// Encodes an author's type into a value of the wire.
package enum ValueEncoder {
  /// Encodes a value.
  ///
  /// - Parameters:
  ///   - source: Anything that an output may hold.
  ///   - old: What the output holds; parts that have not changed are taken from it, and cost no memory.
  /// - Returns: Its value on the wire.
  /// - Throws: `ValueEncodingError` with the place at which the author's `encode(to:)` refused.
  package static func encode(_ source: some Encodable, like old: Value? = nil) throws -> Value {
    if let value = Value(plain: source) { return value }
    return try EncodingNode().encode(source, like: old)
  }
}

extension ValueEncoder {
  /// Encodes a value for a record that outlives the process, or that goes to another server.
  ///
  /// JSON has no infinite numbers, and a `Value` no integers above those of `Int64`. A record has them as an
  /// object, `{"$number": "-inf"}`, which `ValueDecoder` reads in records alone. It is no text, because an
  /// author's type may take numbers and texts, and try numbers first. So it has points in time, whose text has no
  /// fraction of a second: `{"$date": "813456000.25"}`.
  ///
  /// - Parameter source: The value.
  /// - Returns: Its value in a record.
  /// - Throws: `ValueEncodingError` with the place at which the author's `encode(to:)` refused.
  package static func encodeRecord(_ source: some Encodable) throws -> Value {
    if let value = Value(plain: source, inRecord: true) { return value.inRecord }
    return try EncodingNode(isRecord: true).encode(source, like: nil)
  }
}

extension Value {
  private static let numberKey = "$number"

  /// A number that JSON or the wire does not have, as a record has it.
  init(recording number: some CustomStringConvertible) {
    self = [Self.numberKey: .string(number.description)]
  }

  /// The value as a record has it.
  var inRecord: Value {
    guard case .number(let number) = self, !number.isFinite else { return self }
    return Value(recording: number)
  }

  /// What a record says of a number that JSON or the wire does not have; nil if the value is none.
  var recordedNumber: String? {
    guard case .object(let object) = self, object.count == 1 else { return nil }
    return object[Self.numberKey]?.stringValue
  }
}

/// Encodes the rows of one list, one after the other, with the same few objects.
struct RowEncoder {
  private let node = EncodingNode()

  /// Encodes a row.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - index: Its place in the list.
  ///   - old: What may stand there already; parts that have not changed are taken from it.
  /// - Returns: Its value on the wire.
  /// - Throws: `ValueEncodingError`, which names the row by its id if it has one.
  func encode(_ row: some Encodable, at index: Int, like old: Value?) throws -> Value {
    if let value = Value(plain: row) { return value }
    return try node.encode(row: row, at: index, like: old)
  }
}

/// A value that its author's own `encode(to:)` refused.
struct ValueEncodingError: Error, CustomStringConvertible {
  /// The row that is to blame, as a phrase; nil outside of lists.
  var row: String?
  private let path: [any CodingKey]
  private let reason: String

  init(_ error: any Error, at path: [any CodingKey]) {
    self.path = path
    if case .invalidValue(_, let context)? = error as? EncodingError {
      reason = context.debugDescription
    } else {
      reason = "\(error)"
    }
  }

  /// Where, and why: `row 3 with the id "7", "title": the text is secret`.
  var description: String {
    let index = path.lazy.compactMap { ($0 as? IndexKey)?.intValue }.first
    let member = path.last.flatMap { $0 is IndexKey ? nil : "\"\($0.stringValue)\"" }
    let place = [index.map { "row \($0)" }, row].compactMap { $0 }.joined(separator: " ")
    let parts = [place, member ?? ""].filter { !$0.isEmpty }
    return (parts.isEmpty ? "" : parts.joined(separator: ", ") + ": ") + reason.prefix(200)
  }
}
