// SPDX-License-Identifier: Apache-2.0
import GallerySegments
import Musubi

/// A segmented control, a label, and a way on (`Public/segments.html`); no reactive framework.
final class SegmentsView: View {
  private let segment = SegmentedControl("segment", segmentCount: 2)
  private let label = Label("label")
  private let japaneseLabel = Label("labelJa")
  private let next = Button("next")
  fileprivate let viewModel: SegmentsViewModel

  init(viewModel: SegmentsViewModel) {
    self.viewModel = viewModel
  }

  deinit { viewModel.stateDidUpdate = nil }

  override func viewDidLoad() {
    segment.onSelect = { [unowned self] index in viewModel.select(index) }
    next.onTap = { [unowned self] in viewModel.next() }
    viewModel.stateDidUpdate = { [unowned self] state in
      switch state {
      case .first:
        segment.selectedIndex = 0
        label.text = "first segment selected"
        japaneseLabel.text = "一番目を選択しています"
      case .second:
        segment.selectedIndex = 1
        label.text = "second segment selected"
        japaneseLabel.text = "二番目を選択しています"
      case .next(let text):
        present { GreetingView(viewModel: GreetingViewModel(text: text)) }
      }
    }
  }
}

/// A text that the screen before handed over (`Public/greeting.html`).
final class GreetingView: View {
  private let label = Label("text")
  private let japaneseLabel = Label("textJa")
  fileprivate let viewModel: GreetingViewModel

  init(viewModel: GreetingViewModel) {
    self.viewModel = viewModel
  }

  deinit { viewModel.stateDidUpdate = nil }

  override func viewDidLoad() {
    viewModel.stateDidUpdate = { [unowned self] state in
      switch state {
      case .text(let text):
        label.text = text.en
        japaneseLabel.text = text.ja
      }
    }
  }
}

extension SegmentsView: Restorable {
  /// The selected segment.
  var state: Int { viewModel.selected }
}

extension GreetingView: Restorable {
  /// The text.
  var state: GreetingText { viewModel.text }
}
