// SPDX-License-Identifier: Apache-2.0
import GalleryModel
import Musubi

/// The number screen: a label, a text field and a button (`Public/number.html`).
final class NumberView: View {
  let label = Label("label")
  let textField = TextField("number")
  let button = Button("roll")

  fileprivate lazy var viewModel = NumberViewModel(
    numberText: textField.rx.text.asObservable(),
    buttonTap: button.rx.tap.asObservable(),
    model: model,
    number: number)
  private let model: any NumberModel
  private let number: String
  private let disposeBag = DisposeBag()

  init(model: any NumberModel, number: String? = nil) {
    self.model = model
    self.number = number ?? "0"
  }

  override func viewDidLoad() {
    disposeBag.insert(
      viewModel.number.bind(to: label.rx.text),
      viewModel.number.bind(to: textField.rx.text))
  }
}

extension NumberView: Restorable {
  /// The number.
  var state: String { viewModel.number.value }
}
