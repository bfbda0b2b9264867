// SPDX-License-Identifier: Apache-2.0
import GalleryAPI
import GalleryModel
import Musubi

/// A search field and what was found (`Public/search.html`).
final class SearchView: View {
  private let searchWord = TextField("searchWord")
  private let items = List<Article>("items")
  private let error = Label("error")
  private let searching = Indicator("searching")
  private let viewModel: any SearchViewModelType
  private let disposeBag = DisposeBag()

  init(viewModel: any SearchViewModelType) {
    self.viewModel = viewModel
  }

  override func viewDidLoad() {
    disposeBag.insert(
      searchWord.rx.text.orEmpty.bind(to: viewModel.inputs.searchWord),
      viewModel.outputs.items.drive(items.rx.items),
      viewModel.outputs.error.drive(error.rx.text),
      viewModel.outputs.searching.drive(searching.rx.isOn))
  }
}
