// SPDX-License-Identifier: Apache-2.0

/// An option of the program's own, beside those of `serve`; each is an environment variable, too.
///
/// ```swift
/// let pot = ProgramOption("pot", "NAME", help: "which pot is on the stove (large)")
/// await Application.run(options: [pot]) { application in
///   let name = application.configuration.programOptions["pot"] ?? "large"
///   application.screen("tea", page: "tea.html") { _ in TeaView(pot: name) }
/// }
/// ```
public struct ProgramOption: Sendable {
  let option: Option<Configuration>

  /// An option with a value.
  ///
  /// - Parameters:
  ///   - name: The name without dashes: `pot` is `--pot` and `MUSUBI_POT`.
  ///   - placeholder: What stands for the value in the help.
  ///   - help: One line of help, with the default.
  public init(_ name: String, _ placeholder: String, help: String) {
    option = Option(name: name, placeholder: placeholder, help: help) {
      (target, text) throws(CommandLineError) in target.programOptions[name] = text
    }
  }

  /// A switch: `Configuration.programOptions` has "true" under its name where it is given.
  ///
  /// - Parameters:
  ///   - name: The name without dashes: `demo` is `--demo` and `MUSUBI_DEMO`.
  ///   - help: One line of help.
  public init(_ name: String, help: String) {
    option = Option(name: name, placeholder: nil, help: help) {
      (target, text) throws(CommandLineError) in target.programOptions[name] = text
    }
  }
}
