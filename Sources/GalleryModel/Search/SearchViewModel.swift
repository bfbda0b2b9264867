// SPDX-License-Identifier: Apache-2.0
import Dispatch
package import GalleryAPI
package import MusubiRx

/// What the search page sends.
package protocol SearchViewModelInputs {
  /// The word that is typed.
  var searchWord: PublishRelay<String> { get }
}

/// What the search page shows.
package protocol SearchViewModelOutputs {
  /// The articles found, best first.
  var items: Driver<[Article]> { get }
  /// What went wrong, if something did; the View decides how it looks.
  var problem: Driver<SearchProblem?> { get }
  /// Whether an answer is being waited for.
  var searching: Driver<Bool> { get }
  /// Whether the answer has come, and no article contains the word.
  var nothingFound: Driver<Bool> { get }
  /// Whether nothing is asked for.
  var isIdle: Driver<Bool> { get }
}

/// The search ViewModel from outside: the two sides are told apart.
package protocol SearchViewModelType {
  /// What the page sends.
  var inputs: any SearchViewModelInputs { get }
  /// What the page shows.
  var outputs: any SearchViewModelOutputs { get }
}

/// Searches while somebody types: waits for a pause, and drops a search that a newer word has overtaken.
package final class SearchViewModel: SearchViewModelType, SearchViewModelInputs, SearchViewModelOutputs {
  package let searchWord = PublishRelay<String>()
  package let items: Driver<[Article]>
  package let problem: Driver<SearchProblem?>
  package let searching: Driver<Bool>
  package let nothingFound: Driver<Bool>
  package let isIdle: Driver<Bool>

  package var inputs: any SearchViewModelInputs { self }
  package var outputs: any SearchViewModelOutputs { self }

  /// The course of one word's search.
  private enum Step {
    case cleared
    case waiting
    case found([Article])
    case failed(SearchProblem)
  }

  /// A search.
  ///
  /// - Parameters:
  ///   - model: Where to search.
  ///   - scheduler: The clock of the pause; tests pass a virtual one.
  package init(model: any SearchModel, scheduler: any SchedulerType = MainScheduler.instance) {
    let step = BehaviorRelay(value: Step.cleared)
    let loading =
      searchWord
      .map { word in String(word.drop { $0.isWhitespace }) }
      .debounce(.milliseconds(300), scheduler: scheduler)
      .distinctUntilChanged()
      .flatMapLatest { word -> Observable<Step> in
        guard !word.isEmpty else { return .just(.cleared) }
        return model.search(word).asObservable()
          .observe(on: scheduler)
          .map { Step.found($0) }
          .catch { .just(.failed(SearchProblem($0))) }
          .startWith(.waiting)
      }
    bag.insert(loading.subscribe(onNext: { step.accept($0) }))

    items = step.asDriver().scan([]) { shown, step in
      switch step {
      case .cleared: []
      case .found(let articles): articles
      case .waiting, .failed: shown
      }
    }
    problem = step.asDriver().map { if case .failed(let problem) = $0 { problem } else { nil } }
    searching = step.asDriver().map { if case .waiting = $0 { true } else { false } }
    nothingFound = step.asDriver().map {
      if case .found(let articles) = $0 { articles.isEmpty } else { false }
    }
    isIdle = step.asDriver().map { if case .cleared = $0 { true } else { false } }
  }

  private let bag = DisposeBag()
}
