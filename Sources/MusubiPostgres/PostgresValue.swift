// SPDX-License-Identifier: Apache-2.0

/// A parameter of a statement; it travels as the bytes that the server stores, so nothing is quoted or escaped.
///
/// An array is one parameter, whatever its length: `unnest($1::text[], $2::int8[])` makes rows of several.
package enum PostgresValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// `int8`.
  case integer(Int64)
  /// `float8`.
  case real(Double)
  /// `text`; the server refuses a text with U+0000.
  case text(String)
  /// `bytea`.
  case blob([UInt8])
  /// `bool[]`.
  case bools([Bool])
  /// `int8[]`.
  case integers([Int64])
  /// `float8[]`.
  case reals([Double?])
  /// `text[]`.
  case texts([String?])

  /// A whole number.
  package static func integer(_ value: Int) -> PostgresValue { .integer(Int64(value)) }

  /// The type's number in the server's catalogue; 0 leaves it to the server.
  var type: UInt32 {
    switch self {
    case .null: 0
    case .bool: 16
    case .integer: 20
    case .real: 701
    case .text: 25
    case .blob: 17
    case .bools: 1000
    case .integers: 1016
    case .reals: 1022
    case .texts: 1009
    }
  }

  /// The value in the server's binary format; nil for null.
  var bytes: [UInt8]? {
    var bytes: [UInt8] = []
    switch self {
    case .null: return nil
    case .bool(let value): bytes = [value ? 1 : 0]
    case .integer(let value): bytes.append(bigEndian: value)
    case .real(let value): bytes.append(bigEndian: value.bitPattern)
    case .text(let value): bytes = Array(value.utf8)
    case .blob(let value): bytes = value
    case .bools(let values): bytes.append(array: values, of: 16) { $0.append($1 ? 1 : 0) }
    case .integers(let values): bytes.append(array: values, of: 20) { $0.append(bigEndian: $1) }
    case .reals(let values): bytes.append(array: values, of: 701) { $0.append(bigEndian: $1.bitPattern) }
    case .texts(let values): bytes.append(array: values, of: 25) { $0.append(contentsOf: $1.utf8) }
    }
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  /// Appends an array of one dimension: dimensions, whether it has nulls, type, length, first index, and each element behind
  /// its length.
  fileprivate mutating func append<Item>(
    array elements: [Item?], of type: Int32, _ write: (inout [UInt8], Item) -> Void
  ) {
    append(bigEndian: Int32(elements.isEmpty ? 0 : 1))
    append(bigEndian: Int32(elements.contains { $0 == nil } ? 1 : 0))
    append(bigEndian: type)
    guard !elements.isEmpty else { return }
    append(bigEndian: Int32(elements.count))
    append(bigEndian: Int32(1))
    for element in elements {
      guard let element else {
        append(bigEndian: Int32(-1))
        continue
      }
      let place = count
      append(bigEndian: Int32(0))
      write(&self, element)
      let length = UInt32(count - place - 4)
      for byte in 0..<4 { self[place + byte] = UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32(byte))) }
    }
  }
}
