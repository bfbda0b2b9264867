// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The options of `serve` that an author has given, as words or as variables.
struct ServeOptions {
  let words: [String]
  private let environment: [String: String]

  /// Options.
  ///
  /// - Parameters:
  ///   - words: What follows `--`.
  ///   - environment: The process's environment, in which `MUSUBI_RECORD` is `--record`.
  init(
    _ words: some Sequence<String>, environment: [String: String] = ProcessInfo.processInfo.environment
  ) { (self.words, self.environment) = (Array(words), environment) }

  /// The value of an option; nil if the author has not given it.
  subscript(name: String) -> String? {
    if let word = word(of: name) { return word }
    let variable = environment["MUSUBI_" + name.uppercased().replacing("-", with: "_")]
    return variable?.isEmpty == false ? variable : nil
  }

  /// The value of an option among the words, which win over variables; nil if it is not there.
  func word(of name: String) -> String? {
    let option = "--" + name
    for (index, word) in words.enumerated().reversed() {
      if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
      if word == option, index + 1 < words.count { return words[index + 1] }
    }
    return nil
  }
}
