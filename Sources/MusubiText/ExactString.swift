// SPDX-License-Identifier: Apache-2.0

extension String {
  /// Whether both have the same bytes in UTF-8.
  ///
  /// `==` would compare by canonical equivalence, which is another question and takes longer to answer.
  package func hasSameBytes(as other: String) -> Bool {
    if isSame(as: other) { return true }
    guard utf8.count == other.utf8.count else { return false }
    return bytesAreEqual(other)
  }

  /// Whether both are the same short text, or refer to the same bytes: a ViewModel mostly hands on the text
  /// that it got.
  @inline(__always)
  private func isSame(as other: String) -> Bool {
    // A string has two words on all machines that we run on; if these are equal, so is what they stand for.
    let (mine, theirs) = (
      unsafeBitCast(self, to: (UInt64, UInt64).self), unsafeBitCast(other, to: (UInt64, UInt64).self)
    )
    return mine == theirs
  }

  private func bytesAreEqual(_ other: String) -> Bool {
    let answer = utf8.withContiguousStorageIfAvailable { mine in
      other.utf8.withContiguousStorageIfAvailable { theirs in
        if mine.baseAddress == theirs.baseAddress { return true }
        return UnsafeRawBufferPointer(mine).hasSameBytes(as: UnsafeRawBufferPointer(theirs))
      }
    }
    return (answer ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether both, of equal length, hold the same bytes; eight at a time.
  package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while offset + 8 <= count {
      let mine = loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      guard mine == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
      offset += 8
    }
    while offset < count {
      guard self[offset] == other[offset] else { return false }
      offset += 1
    }
    return true
  }
}

/// A string as a dictionary key that is equal only to the same bytes.
package struct ExactString: Hashable {
  package let string: String

  /// A key.
  package init(_ string: String) { self.string = string }

  package static func == (left: ExactString, right: ExactString) -> Bool {
    left.string.hasSameBytes(as: right.string)
  }

  package func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
