// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
package import MusubiRx

/// The way to a new quiz, whose code nobody else has.
package final class PlayViewModel: InputOutputViewModel, Restorable {
  package struct Inputs: Decodable {}

  package struct Outputs: Encodable {
    package let address: Driver<String>
  }

  /// The quiz's code.
  package let state: String

  /// The way to the quiz of a code.
  package init(code: String) { state = code }

  package func bind(_ inputs: Inputs) -> Outputs { Outputs(address: .just("/quiz?room=\(state)")) }
}
