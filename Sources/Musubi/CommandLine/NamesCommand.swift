// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// The command line that tells editors the names of all screens: `names`.
enum NamesCommand {
  static let help = """
    Prints one JSON object: screens, inputs and outputs, each a list of the names that pages may use.

    Each option of serve is taken as well.
    """

  /// The names of an application's screens.
  ///
  /// - Parameter schemas: Names and types of each screen.
  /// - Returns: The object.
  static func text(of schemas: [String: ScreenSchema]) -> String {
    func list(_ names: some Sequence<String>) -> Value { .array(Set(names).sorted().map { .string($0) }) }
    let names: Value = [
      "screens": list(schemas.keys), "inputs": list(schemas.values.flatMap { $0.inputs.map(\.name) }),
      "outputs": list(schemas.values.flatMap { $0.shownOutputs + $0.events }),
    ]
    return names.description
  }
}
