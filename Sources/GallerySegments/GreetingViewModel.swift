// SPDX-License-Identifier: Apache-2.0

/// Shows a text that the screen before has handed over.
package final class GreetingViewModel: ViewModel {
  /// What the View draws.
  package enum State: Equatable {
    /// The text.
    case text(String)
  }

  package var stateDidUpdate: ((State) -> Void)? {
    didSet { stateDidUpdate?(.text(text)) }
  }

  /// The text.
  package let text: String

  /// A ViewModel with the text to show.
  package init(text: String = "Nobody sent you here.") { self.text = text }
}
