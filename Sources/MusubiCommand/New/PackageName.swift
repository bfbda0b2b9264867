// SPDX-License-Identifier: Apache-2.0
import Musubi

/// The name of a new package, and the names that are made from it.
struct PackageName: Equatable {
  /// The package's, the module's and the program's name, such as `TeaShop`.
  let module: String

  /// Takes a name that Swift, SwiftPM and addresses can carry.
  ///
  /// - Throws: `CommandLineError` with the reason why it cannot be used.
  init(_ text: String) throws(CommandLineError) {
    let shown = "\"\(text.prefix(80))\""
    guard let first = text.utf8.first, Self.isLetter(first), text.utf8.count <= 40,
      text.utf8.allSatisfy({ Self.isLetter($0) || Self.isDigit($0) })
    else {
      throw CommandLineError(
        "\(shown) cannot name a Swift module; it takes a letter from a to z first, then letters and digits, at most 40, "
          + "such as TeaShop.")
    }
    guard !Self.keywords.contains(text) else {
      throw CommandLineError(
        "\(shown) is a word of the language Swift; choose another name, such as \(text)App.")
    }
    guard !text.lowercased().hasPrefix("musubi") else {
      throw CommandLineError("\(shown) begins like Musubi's own modules; choose another name.")
    }
    guard !Self.taken.contains(where: { $0.lowercased() == text.lowercased() }) else {
      throw CommandLineError("\(shown) is the name of a module that every program has; choose another name.")
    }
    module = text
  }

  /// What types begin with, such as `TeaShop` for `teaShop`.
  var type: String { module.prefix(1).uppercased() + module.dropFirst() }

  /// The screen, its page and its service, in small letters: `tea-shop`.
  var screen: String {
    var words = ""
    let letters = Array(module)
    for (index, letter) in letters.enumerated() {
      let before = index > 0 ? letters[index - 1] : nil
      let next = index + 1 < letters.count ? letters[index + 1] : nil
      // A word begins behind a small letter or a digit, and with the last capital of several: URLTool is url-tool.
      let begins = before.map { !$0.isUppercase || next?.isLowercase == true } ?? false
      words += letter.isUppercase && begins ? "-" : ""
      words += letter.lowercased()
    }
    return words
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 32) }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "async", "await", "break", "case", "catch",
    "class",
    "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
    "fileprivate",
    "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "open",
    "operator",
    "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static",
    "struct",
    "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
  ]

  /// Modules of the toolchain that a program or its test imports, `main`, and what a template's types would collide with.
  static let taken: Set<String> = [
    "Builtin", "Dispatch", "Foundation", "FoundationEssentials", "Glibc", "InputOutput", "Observable",
    "Observation",
    "PackageDescription", "Swift", "Synchronization", "Testing", "XCTest", "main",
  ]
}
