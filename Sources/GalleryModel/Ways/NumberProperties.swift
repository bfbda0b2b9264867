// SPDX-License-Identifier: Apache-2.0
import Observation

/// The number screen as properties.
@Observable package final class NumberProperties {
  package private(set) var label = "0"
  package var number = "0" {
    didSet { if !number.isEmpty { label = number } }
  }

  @ObservationIgnored private let draw: () -> Int

  /// The screen, with what draws a number.
  package init(draw: @escaping () -> Int) { self.draw = draw }

  /// Draws a number.
  package func roll() { number = "\(draw())" }
}
