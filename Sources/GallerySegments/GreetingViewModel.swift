// SPDX-License-Identifier: Apache-2.0

/// What the screen before hands over, in the languages that the gallery speaks.
package struct GreetingText: Codable, Equatable, Sendable {
  /// English.
  package let en: String
  /// Japanese.
  package let ja: String

  /// A text in both languages.
  package init(en: String, ja: String) {
    self.en = en
    self.ja = ja
  }
}

/// Shows a text that the screen before has handed over.
package final class GreetingViewModel: ViewModel {
  /// What the View draws.
  package enum State: Equatable {
    /// The text.
    case text(GreetingText)
  }

  package var stateDidUpdate: ((State) -> Void)? {
    didSet { stateDidUpdate?(.text(text)) }
  }

  /// The text.
  package let text: GreetingText

  /// A ViewModel with the text to show.
  package init(text: GreetingText = GreetingText(en: "Nobody sent you here.", ja: "どこからも来ていません。")) {
    self.text = text
  }
}
