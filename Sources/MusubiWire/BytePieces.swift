// SPDX-License-Identifier: Apache-2.0

/// Byte strings that are written again and again, in one stretch of memory: who takes one counts no reference to it.
package struct BytePieces: Sendable {
  private let bytes: [UInt8]
  /// Where each piece ends.
  private let ends: [Int]
  /// The bytes of the longest one.
  package let longest: Int

  /// Copies the pieces.
  package init(_ pieces: [[UInt8]]) {
    bytes = pieces.flatMap { $0 }
    var end = 0
    ends = pieces.map { piece in
      end += piece.count
      return end
    }
    longest = pieces.map(\.count).max() ?? 0
  }

  /// How many pieces there are.
  package var count: Int { ends.count }

  /// Hands over a piece, which is valid within the body.
  @inline(__always)
  package func withPiece<Result>(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let start = index > 0 ? ends[index - 1] : 0
    let end = ends[index]
    return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[start..<end])) }
  }
}
