// SPDX-License-Identifier: Apache-2.0
import GalleryAPI
import GalleryModel
import MusubiRx
import MusubiTesting
import Testing

private struct Failure: Error {}

/// Answers when the test says so, and notes the searches that were begun and given up.
private final class StubSearch: SearchModel {
  private(set) var asked: [String] = []
  private(set) var cancelled: [String] = []
  private var observers: [String: (SingleEvent<[Article]>) -> Void] = [:]

  func search(_ word: String) -> Single<[Article]> {
    .create { [self] observer in
      asked.append(word)
      observers[word] = observer
      return Disposables.create { [self] in cancelled.append(word) }
    }
  }

  func answer(_ word: String) { observers[word]?(.success([.named(word)])) }
  func answerNothing(_ word: String) { observers[word]?(.success([])) }
  func fail(_ word: String) { observers[word]?(.failure(Failure())) }
}

extension Article {
  fileprivate static func named(_ word: String) -> Article {
    Article(id: word.count, title: word, snippet: "", link: "https://example.org/\(word)")
  }
}

@Suite struct `The search's ViewModel` {
  private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
  private let model = StubSearch()
  private let viewModel: any SearchViewModelType
  private let bag = DisposeBag()
  private let items: TestableObserver<[Article]>
  private let problems: TestableObserver<SearchProblem?>
  private let searching: TestableObserver<Bool>
  private let nothingFound: TestableObserver<Bool>
  private let isIdle: TestableObserver<Bool>

  init() {
    viewModel = SearchViewModel(model: model, scheduler: scheduler)
    items = scheduler.createObserver([Article].self)
    problems = scheduler.createObserver(SearchProblem?.self)
    searching = scheduler.createObserver(Bool.self)
    nothingFound = scheduler.createObserver(Bool.self)
    isIdle = scheduler.createObserver(Bool.self)
    viewModel.outputs.items.drive(items).disposed(by: bag)
    viewModel.outputs.problem.drive(problems).disposed(by: bag)
    viewModel.outputs.searching.drive(searching).disposed(by: bag)
    viewModel.outputs.nothingFound.drive(nothingFound).disposed(by: bag)
    viewModel.outputs.isIdle.drive(isIdle).disposed(by: bag)
  }

  private func type(_ word: String, thenWait milliseconds: Int) {
    viewModel.inputs.searchWord.accept(word)
    scheduler.advanceTo(scheduler.clock + milliseconds)
  }

  private var shown: [String] { items.events.last?.value.element?.map(\.title) ?? [] }
  private var problem: SearchProblem? { problems.events.last?.value.element ?? nil }
  private var isSearching: Bool? { searching.events.last?.value.element }

  @Test func `waits for a pause in typing`() {
    type("t", thenWait: 100)
    type("to", thenWait: 100)
    type("tok", thenWait: 299)
    #expect(model.asked == [])

    scheduler.advanceTo(scheduler.clock + 2)

    #expect(model.asked == ["tok"])
    #expect(isSearching == true)
  }

  @Test func `shows the results`() {
    type("tokyo", thenWait: 400)

    model.answer("tokyo")
    scheduler.advanceTo(scheduler.clock + 1)

    #expect(shown == ["tokyo"])
    #expect(isSearching == false)
  }

  @Test func `says that nothing was found, only while that is so`() {
    var said: [Bool?] { [nothingFound, isIdle].map { $0.events.last?.value.element } }
    #expect(said == [false, true])

    type("xyzzy", thenWait: 400)
    #expect(said == [false, false])
    model.answerNothing("xyzzy")
    scheduler.advanceTo(scheduler.clock + 1)
    #expect(said == [true, false])
    type("tokyo", thenWait: 400)
    #expect(said == [false, false])
    model.fail("tokyo")
    scheduler.advanceTo(scheduler.clock + 1)
    #expect(said == [false, false])

    type("", thenWait: 400)

    #expect(said == [false, true])
  }

  @Test func `does not search for the same word again`() {
    type("tokyo", thenWait: 400)
    type("tokyo ", thenWait: 100)
    type("tokyo", thenWait: 400)

    #expect(model.asked == ["tokyo"])
  }

  @Test func `gives up the older word, and never shows its late answer`() {
    type("old", thenWait: 400)
    type("new", thenWait: 400)
    #expect(model.cancelled == ["old"])

    model.answer("new")
    model.answer("old")
    scheduler.advanceTo(scheduler.clock + 1)

    #expect(shown == ["new"])
  }

  @Test func `shows an error, and the next word works again`() {
    type("bad", thenWait: 400)
    model.fail("bad")
    scheduler.advanceTo(scheduler.clock + 1)
    #expect(problem == .failed)
    #expect(isSearching == false)

    type("good", thenWait: 400)
    model.answer("good")
    scheduler.advanceTo(scheduler.clock + 1)

    #expect(problem == nil)
    #expect(shown == ["good"])
  }

  @Test func `shows nothing for an emptied field, without asking`() {
    type("tokyo", thenWait: 400)
    model.answer("tokyo")
    scheduler.advanceTo(scheduler.clock + 1)

    type("", thenWait: 400)

    #expect(shown == [])
    #expect(model.asked == ["tokyo"])
  }
}
