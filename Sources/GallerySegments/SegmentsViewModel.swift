// SPDX-License-Identifier: Apache-2.0

/// Two segments, of which one is selected, and a way on to the next screen.
package final class SegmentsViewModel: ViewModel {
  /// What the View draws.
  package enum State: Equatable {
    /// The first segment is selected.
    case first
    /// The second segment is selected.
    case second
    /// The next screen is to be shown, with this text.
    case next(GreetingText)
  }

  package var stateDidUpdate: ((State) -> Void)? {
    // A state that came before anybody listened is told to the first who does.
    didSet { stateDidUpdate?(selected == 0 ? .first : .second) }
  }

  /// The selected segment, 0 or 1.
  package private(set) var selected: Int

  /// A ViewModel with one of the segments selected.
  package init(selected: Int = 0) { self.selected = selected == 1 ? 1 : 0 }

  /// The visitor selects a segment.
  ///
  /// - Parameter index: 0 or 1; anything else changes nothing.
  package func select(_ index: Int) {
    guard (0...1).contains(index) else { return }
    selected = index
    stateDidUpdate?(index == 0 ? .first : .second)
  }

  /// The visitor goes on.
  package func next() {
    let text =
      selected == 0
      ? GreetingText(en: "You came from the first segment.", ja: "一番目のセグメントから来ました。")
      : GreetingText(en: "You came from the second segment.", ja: "二番目のセグメントから来ました。")
    stateDidUpdate?(.next(text))
  }
}
