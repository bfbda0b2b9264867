// SPDX-License-Identifier: Apache-2.0

extension ClientFrame {
  /// Reads what nearly every frame is, as clients write it: an edit of one component of an ASCII text.
  ///
  /// ```
  /// {"input":4711,"name":"number","revision":815,"edits":[[0,8,"00004711"]]}
  /// ```
  ///
  /// - Parameter json: A whole message.
  /// - Returns: The frame; nil if it looks different in any respect, which says nothing about it.
  static func quickEdit(_ json: UnsafeRawBufferPointer) -> ClientFrame? {
    guard let base = json.baseAddress else { return nil }
    var cursor = Cursor(at: base.assumingMemoryBound(to: UInt8.self), count: json.count)
    guard cursor.take(#"{"input":"#), let number = cursor.takeInteger(), number > 0,
      cursor.take(#","name":""#), let name = cursor.takeText(),
      cursor.take(#","revision":"#), let revision = cursor.takeInteger(),
      cursor.take(#","edits":[["#), let position = cursor.takeInteger(),
      cursor.take(","), let deleted = cursor.takeInteger(),
      cursor.take(#",""#), let inserted = cursor.takeText(),
      cursor.take("]]}"), cursor.isAtEnd,
      position <= TextEdit.maximumPosition, deleted <= TextEdit.maximumPosition
    else { return nil }
    let edit = TextEdit(position: position, deleted: deleted, inserted: inserted)
    return .input(Input(number: number, name: name, payload: .edit(edit, revision: revision)))
  }

  private struct Cursor {
    private var next: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>

    init(at start: UnsafePointer<UInt8>, count: Int) {
      next = start
      end = start + count
    }

    var isAtEnd: Bool { next == end }

    @inline(__always)
    mutating func take(_ text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      guard end - next >= count else { return false }
      let expected = text.utf8Start
      for index in 0..<count where next[index] != expected[index] { return false }
      next += count
      return true
    }

    /// One to fifteen digits, without a zero in front.
    @inline(__always)
    mutating func takeInteger() -> Int? {
      let start = next
      var number = 0
      while next < end, next.pointee &- UInt8(ascii: "0") < 10 {
        number = number &* 10 &+ Int(next.pointee &- UInt8(ascii: "0"))
        next += 1
      }
      let digits = next - start
      guard digits > 0, digits < 16, digits == 1 || start.pointee != UInt8(ascii: "0") else { return nil }
      return number
    }

    /// ASCII without escapes, and the quote behind it.
    @inline(__always)
    mutating func takeText() -> String? {
      let start = next
      while next < end, next.pointee != .quote {
        guard next.pointee >= 0x20, next.pointee < 0x80, next.pointee != .backslash else { return nil }
        next += 1
      }
      guard next < end else { return nil }
      let text = String(decoding: UnsafeBufferPointer(start: start, count: next - start), as: UTF8.self)
      next += 1
      return text
    }
  }
}
