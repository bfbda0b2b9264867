// SPDX-License-Identifier: Apache-2.0
import MusubiText

/// One setting that can be given as an argument or as an environment variable.
package struct Option<Target>: Sendable {
  /// The long name without dashes.
  package let name: String
  /// What stands for the value in the help; nil for a switch.
  package let placeholder: String?
  /// One line of help, with the default.
  package let help: String
  /// Checks the text and stores it; for a switch the text is "true".
  package let store: @Sendable (inout Target, _ text: String) throws(CommandLineError) -> Void

  /// An option.
  package init(
    name: String, placeholder: String?, help: String,
    store: @escaping @Sendable (inout Target, _ text: String) throws(CommandLineError) -> Void
  ) { (self.name, self.placeholder, self.help, self.store) = (name, placeholder, help, store) }

  /// The environment variable: `MUSUBI_` and the name in capitals.
  package var variable: String { "MUSUBI_" + name.uppercased().replacing("-", with: "_") }
}

/// Reads options from the environment first and from the arguments second, so that an argument wins.
package struct OptionParser<Target> {
  private let command: String
  private let options: [Option<Target>]
  /// Whether each option is an environment variable, too.
  private let readsEnvironment: Bool

  /// A parser.
  package init(command: String, options: [Option<Target>], readsEnvironment: Bool = true) {
    (self.command, self.options, self.readsEnvironment) = (command, options, readsEnvironment)
  }

  /// Fills `target`.
  ///
  /// - Parameters:
  ///   - arguments: The words after the command's name; `--name value` and `--name=value` are the same.
  ///   - environment: The process's environment.
  ///   - target: The configuration to fill.
  /// - Throws: `CommandLineError` for an unknown name, a missing or a wrong value.
  package func parse(
    _ arguments: [String], environment: [String: String], into target: inout Target
  ) throws(CommandLineError) {
    for option in options where readsEnvironment {
      guard let text = environment[option.variable], !text.isEmpty else { continue }
      let isSwitch = option.placeholder == nil
      if isSwitch, ["0", "false", "no"].contains(text.lowercased()) { continue }
      do {
        try option.store(&target, isSwitch ? "true" : text)
      } catch {
        throw CommandLineError("\(error) It came from the environment variable \(option.variable).")
      }
    }
    var rest = arguments[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        throw CommandLineError("\"\(word)\" is not an option of \(command); see \(command) --help.")
      }
      let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard let option = options.first(where: { $0.name == name }) else {
        throw CommandLineError(
          "\(command) has no option --\(name.prefix(80))\(suggestion(for: name)); see \(command) --help.")
      }
      try option.store(
        &target, try value(of: option, inline: parts.count > 1 ? String(parts[1]) : nil, &rest))
    }
  }

  /// The options as a table.
  package var help: String {
    options.map { option in
      let left = "  --\(option.name)" + (option.placeholder.map { " \($0)" } ?? "")
      let padding = String(repeating: " ", count: max(1, 26 - left.count))
      return left + padding + option.help + (readsEnvironment ? " [\(option.variable)]" : "")
    }.joined(separator: "\n")
  }

  private func value(
    of option: Option<Target>, inline: String?, _ rest: inout ArraySlice<String>
  ) throws(CommandLineError) -> String {
    guard let placeholder = option.placeholder else {
      guard inline == nil else { throw CommandLineError("--\(option.name) takes no value.") }
      return "true"
    }
    if let inline { return inline }
    guard let next = rest.popFirst() else {
      throw CommandLineError("--\(option.name) needs a value: --\(option.name) \(placeholder).")
    }
    return next
  }

  private func suggestion(for name: String) -> String {
    options.map(\.name).nearest(to: name).first.map { " (did you mean --\($0)?)" } ?? ""
  }
}
