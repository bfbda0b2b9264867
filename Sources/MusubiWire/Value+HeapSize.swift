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

  /// How many arrays and objects are in each other.
  package var depth: Int {
    switch self {
    case .null, .bool, .integer, .number, .string: 0
    case .array(let elements): 1 + (elements.lazy.map(\.depth).max() ?? 0)
    case .object(let object): 1 + (object.members.lazy.map(\.value.depth).max() ?? 0)
    }
  }
}
