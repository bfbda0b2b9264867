// SPDX-License-Identifier: Apache-2.0
import GalleryAPI
import GalleryModel
import Musubi

/// A search field and its results (`Public/search.html`).
final class SearchView: View {
  fileprivate let searchWord = TextField("searchWord")
  private let items = List<Article>("items")
  private let error = Label("error")
  private let englishError = Label("errorEn")
  private let japaneseError = Label("errorJa")
  private let searching = Indicator("searching")
  private let nothingFound = Indicator("nothingFound")
  private let isIdle = Indicator("isIdle")
  private let viewModel: any SearchViewModelType
  private let texts: SearchTexts
  private let disposeBag = DisposeBag()

  private let word: String?

  init(viewModel: any SearchViewModelType, texts: SearchTexts, word: String? = nil) {
    self.viewModel = viewModel
    self.texts = texts
    self.word = word
  }

  override func viewDidLoad() {
    if let word, !word.isEmpty { searchWord.text = word }
    let (outputs, texts) = (viewModel.outputs, texts)
    disposeBag.insert(
      searchWord.rx.text.orEmpty.bind(to: viewModel.inputs.searchWord),
      outputs.items.drive(items.rx.items),
      outputs.problem.map { $0.map(texts.text) ?? "" }.drive(error.rx.text),
      outputs.problem.map { $0.map(texts.translations)?.en ?? "" }.drive(englishError.rx.text),
      outputs.problem.map { $0.map(texts.translations)?.ja ?? "" }.drive(japaneseError.rx.text),
      outputs.searching.drive(searching.rx.isOn),
      outputs.nothingFound.drive(nothingFound.rx.isOn),
      outputs.isIdle.drive(isIdle.rx.isOn))
  }
}

extension SearchView: Restorable {
  /// The word; a restored screen searches it again.
  var state: String { searchWord.text ?? "" }
}
