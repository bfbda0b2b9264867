// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
package import MusubiRx

/// Shows a screen of the gallery beside its source: in a room that nobody else has, and with who is there.
package final class SourceViewModel: InputOutputViewModel, Restorable {
  /// What the page sends: nothing.
  package struct Inputs: Decodable {}

  /// What the page shows.
  package struct Outputs: Encodable {
    /// Where the screen is, with its room; empty if the gallery has none of this name.
    package let address: Driver<String>
    /// A picture of this address for phones.
    package let code: Driver<String>
    /// The name of the room; empty for a screen that has none.
    package let room: Driver<String>
    /// How many people are there.
    package let here: Driver<Int>
  }

  /// The room.
  package let state: String
  private let path: String
  private let code: String
  private let hasRoom: Bool
  private let here: Driver<Int>

  /// A screen beside its source.
  ///
  /// - Parameters:
  ///   - path: Where its page is; empty for none.
  ///   - code: Where a picture of its address is, without its room.
  ///   - room: The room; nil if each visitor has a screen of their own.
  ///   - here: How many people are in the room.
  package init(path: String, code: String, room: String?, here: Driver<Int>) {
    self.path = path
    self.code = room.map { "\(code)&room=\($0)" } ?? code
    self.here = here
    hasRoom = room != nil
    state = room ?? ""
  }

  /// Turns inputs into outputs.
  package func bind(_ inputs: Inputs) -> Outputs {
    let address = hasRoom ? "\(path)?room=\(state)" : path
    return Outputs(address: .just(address), code: .just(code), room: .just(state), here: here)
  }
}
