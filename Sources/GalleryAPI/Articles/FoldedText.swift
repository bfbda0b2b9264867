// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A text as the search compares it: the same for ＴＯＫＹＯ, Tōkyō and tokyo, for ﾗｰﾒﾝ, ラーメン and らーめん.
struct FoldedText: Sendable, Equatable {
  let folded: String

  /// Folds width, case, Latin accents and the two kana.
  ///
  /// Foundation's own folding of accents would also make が to か, which are different letters.
  init(_ text: some StringProtocol) {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      folded = text.lowercased()
      return
    }
    var scalars = String.UnicodeScalarView()
    for scalar in String(text).decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars {
      switch scalar.value {
      case 0x0300...0x036F: continue
      case 0x30A1...0x30F6: scalars.append(Unicode.Scalar(scalar.value - 0x60) ?? scalar)
      default: scalars.append(scalar)
      }
    }
    folded = String(scalars).precomposedStringWithCanonicalMapping
  }

  /// Where a folded term begins in a text, as a number of characters of the unfolded text; nil if it is not in it.
  static func position(of term: String, in text: String) -> Int? {
    var folded: [UInt8] = []
    var starts: [Int] = []
    for character in text {
      starts.append(folded.count)
      folded.append(contentsOf: FoldedText(String(character)).folded.utf8)
    }
    guard let match = offset(of: Array(term.utf8), in: folded) else { return nil }
    return starts.lastIndex { $0 <= match }
  }

  /// Where bytes occur first in others; nil if nowhere, or if there are none.
  ///
  /// UTF-8 of one text never begins in the middle of another's character, so bytes are enough, and quicker to
  /// compare than characters.
  static func offset(of needle: [UInt8], in bytes: [UInt8]) -> Int? {
    guard let first = needle.first, needle.count <= bytes.count else { return nil }
    return (0...(bytes.count - needle.count)).first { start in
      bytes[start] == first && bytes[start..<(start + needle.count)].elementsEqual(needle)
    }
  }
}
