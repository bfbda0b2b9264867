// SPDX-License-Identifier: Apache-2.0

/// The names of sessions: chance, and at the end the slot, so that whoever gets a `resume` frame finds the way by the name alone.
///
/// ```
/// Zk3bQ0dRw9xT  f2        twelve characters of chance (72 bits, plenty for a name that is no secret), two of the slot
/// ```
///
/// Fourteen bytes, which a `String` holds in itself. A session in a shared room has the room's slot.
package enum SessionName {
  /// So many characters are chance.
  private static let chance = 12

  /// A new name.
  ///
  /// - Parameters:
  ///   - slot: The session's slot.
  ///   - random: Nine bytes that nobody guesses.
  /// - Returns: The name.
  static func make(slot: Int, random: ArraySlice<UInt8>) -> String {
    Base64URL.text(random) + Base64URL.text([UInt8(slot >> 4), UInt8(slot & 15) << 4][...]).prefix(2)
  }

  /// The slot in a name; nil in a name that an older program has given.
  package static func slot(of name: String) -> Int? {
    guard name.utf8.count == chance + 2 else { return nil }
    let digits = name.utf8.suffix(2).compactMap(Base64URL.alphabet.firstIndex)
    return digits.count == 2 ? digits[0] << 6 | digits[1] : nil
  }
}
