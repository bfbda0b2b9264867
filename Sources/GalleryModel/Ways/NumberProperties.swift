// SPDX-License-Identifier: Apache-2.0
import Observation

/// The number screen as properties.
@Observable package final class NumberProperties {
  package private(set) var label: String
  package var number: String {
    didSet { if !number.isEmpty { label = number } }
  }

  @ObservationIgnored private let draw: () -> Int

  /// The screen, with what draws a number, and its first number.
  package init(draw: @escaping () -> Int, number: String) {
    (label, self.number) = (number, number)
    self.draw = draw
  }

  /// Draws a number.
  package func roll() { number = "\(draw())" }
}
