// SPDX-License-Identifier: Apache-2.0
extension Value {
  /// How many bytes the value takes as JSON.
  ///
  /// - Parameter max: From here on the count does not matter; it ends early.
  /// - Returns: The exact count, if that is at most `max`; else some number above `max`.
  func jsonByteCount(stoppingAbove max: Int) -> Int {
    switch self {
    case .null, .bool, .integer, .number, .string:
      var bytes = ByteBuffer()
      bytes.appendJSON(self)
      return bytes.count
    case .array(let elements):
      // Two brackets, and a comma between two elements: the least that they can take is a byte each.
      var count = 1 + Swift.max(1, elements.count)
      for element in elements where count <= max {
        count += element.jsonByteCount(stoppingAbove: max - count)
      }
      return count
    case .object(let object):
      var count = 1 + Swift.max(1, object.count)
      for member in object.members where count <= max {
        count += Value.string(member.key).jsonByteCount(stoppingAbove: .max) + 1
        count += member.value.jsonByteCount(stoppingAbove: max - count)
      }
      return count
    }
  }
}

extension Sequence<Operation> {
  /// How many bytes the operations take as JSON, with the commas between them.
  var jsonByteCount: Int {
    var bytes = ByteBuffer()
    for operation in self {
      if !bytes.isEmpty { bytes.append(.comma) }
      bytes.appendJSON(operation)
    }
    return bytes.count
  }
}
