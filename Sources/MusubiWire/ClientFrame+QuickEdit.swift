// SPDX-License-Identifier: Apache-2.0
package import MusubiText

/// The most frequent frame, as clients write it: an edit of one component of an ASCII text on the first screen.
///
/// ```
/// {"input":4711,"name":"number","revision":815,"edits":[[0,8,"00004711"]]}
/// ```
package struct QuickEdit {
  /// The input's number.
  package let number: Int
  /// The text's name.
  package let name: String
  /// The highest revision that the client had applied.
  package let revision: Int
  /// The change.
  package let edit: TextEdit

  /// Reads a whole message; nil if it looks different in any respect, which says nothing about it.
  ///
  /// - Parameters:
  ///   - json: The message.
  ///   - recentName: The name in an earlier message, which is not made again if it is this one's, too.
  package init?(_ json: UnsafeRawBufferPointer, recentName: inout String) {
    guard let base = json.baseAddress else { return nil }
    var cursor = Cursor(at: base.assumingMemoryBound(to: UInt8.self), count: json.count)
    guard cursor.take(#"{"input":"#), let number = cursor.takeInteger(), number > 0,
      cursor.take(#","name":""#), cursor.takeText(recent: &recentName),
      cursor.take(#","revision":"#), let revision = cursor.takeInteger(),
      cursor.take(#","edits":[["#), let position = cursor.takeInteger(),
      cursor.take(","), let deleted = cursor.takeInteger(),
      cursor.take(#",""#), let inserted = cursor.takeText(),
      cursor.take("]]}"), cursor.isAtEnd,
      position <= TextEdit.maximumPosition, deleted <= TextEdit.maximumPosition
    else { return nil }
    self.number = number
    name = recentName
    self.revision = revision
    edit = TextEdit(position: position, deleted: deleted, inserted: inserted)
  }

  /// The same as what all inputs are.
  package var input: ClientFrame.Input {
    ClientFrame.Input(number: number, name: name, payload: .edit(edit, revision: revision))
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
      for index in 0..<count where next[index] != text.utf8Start[index] { return false }
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
      guard let bytes = takeBytes() else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// The same, which is put into `text` unless that is it already.
    @inline(__always)
    mutating func takeText(recent text: inout String) -> Bool {
      guard let bytes = takeBytes() else { return false }
      let isSame = text.withUTF8 { known in
        guard known.count == bytes.count else { return false }
        for index in known.indices where known[index] != bytes[index] { return false }
        return true
      }
      if !isSame { text = String(decoding: bytes, as: UTF8.self) }
      return true
    }

    @inline(__always)
    private mutating func takeBytes() -> UnsafeBufferPointer<UInt8>? {
      let start = next
      while next < end, next.pointee != .quote {
        guard next.pointee >= 0x20, next.pointee < 0x80, next.pointee != .backslash else { return nil }
        next += 1
      }
      guard next < end else { return nil }
      defer { next += 1 }
      return UnsafeBufferPointer(start: start, count: next - start)
    }
  }
}
