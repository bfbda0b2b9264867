// SPDX-License-Identifier: Apache-2.0
import GalleryModel
import Musubi

/// The number screen's View, which is told states.
final class NumberStateView: View, Restorable {
  private let label = Label("label")
  private let number = TextField("number")
  private let button = Button("roll")
  private let viewModel: NumberState

  /// The number.
  var state: String {
    switch viewModel.state {
    case .number(let text): text
    }
  }

  init(viewModel: NumberState) { self.viewModel = viewModel }

  deinit { viewModel.stateDidUpdate = nil }

  override func viewDidLoad() {
    number.onChange = { [unowned self] in viewModel.type($0) }
    button.onTap = { [unowned self] in viewModel.roll() }
    viewModel.stateDidUpdate = { [unowned self] state in
      switch state {
      case .number(let text):
        label.text = text
        number.text = text
      }
    }
  }
}
