// SPDX-License-Identifier: Apache-2.0
import GalleryModel
import Musubi

/// The number screen: a label, a text field and a button (`Public/number.html`).
final class NumberView: View {
  let label = Label("label")
  let textField = TextField("number")
  let button = Button("roll")

  private lazy var viewModel = NumberViewModel(
    numberText: textField.rx.text.asObservable(),
    buttonTap: button.rx.tap.asObservable(),
    model: model)
  private let model: any NumberModel
  private let disposeBag = DisposeBag()

  init(model: any NumberModel) {
    self.model = model
  }

  override func viewDidLoad() {
    disposeBag.insert(
      viewModel.number.bind(to: label.rx.text),
      viewModel.number.bind(to: textField.rx.text))
  }
}
