// SPDX-License-Identifier: Apache-2.0

/// The rule for the names of screens: they stand in `/live/<name>` and in `data-screen` as they are.
enum ScreenName {
  /// The most bytes that a name has.
  static let maxBytes = 64

  /// The problem of a name, as a sentence; nil if there is none.
  static func problem(of name: String) -> String? {
    let isAddress = name.utf8.allSatisfy { byte in
      switch byte {
      // The characters that an address never has to escape (RFC 3986, section 2.3).
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"): true
      default: "-_.~".utf8.contains(byte)
      }
    }
    // Browsers take these two out of an address.
    guard isAddress, (1...maxBytes).contains(name.utf8.count), name != ".", name != ".." else {
      return
        "no address can carry this name; it has 1 to \(maxBytes) letters from a to z, digits, and - _ . ~, such as "
        + "to-do."
    }
    return nil
  }
}
