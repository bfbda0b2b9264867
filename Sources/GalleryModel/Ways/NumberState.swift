// SPDX-License-Identifier: Apache-2.0

/// The number screen as a state.
package final class NumberState {
  /// What the screen shows.
  package enum State: Equatable {
    case number(String)
  }

  /// Called with each new state, and with the present one when it is set.
  package var stateDidUpdate: ((State) -> Void)? {
    didSet { stateDidUpdate?(state) }
  }

  /// What it shows now.
  package private(set) var state: State {
    didSet { stateDidUpdate?(state) }
  }

  private let draw: () -> Int

  /// The screen, with what draws a number, and its first number.
  package init(draw: @escaping () -> Int, number: String) {
    self.draw = draw
    state = .number(number)
  }

  /// Somebody types; an empty field changes nothing.
  package func type(_ text: String) {
    if !text.isEmpty { state = .number(text) }
  }

  /// Draws a number.
  package func roll() { state = .number("\(draw())") }
}
