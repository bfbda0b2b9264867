// SPDX-License-Identifier: Apache-2.0
import MusubiText

extension Value {
  /// The bytes of heap that the value takes.
  package var heapBytes: Int {
    switch self {
    case .null, .bool, .integer, .number: 0
    case .string(let text): HeapSize.text(text)
    case .array(let elements): elements.reduce(HeapSize.array(elements)) { $0 + $1.heapBytes }
    case .object(let object):
      object.members.reduce(HeapSize.array(object.members)) {
        $0 + HeapSize.text($1.key) + $1.value.heapBytes
      }
    }
  }
}
