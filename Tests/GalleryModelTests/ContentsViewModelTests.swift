// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryAPI
import GalleryModel
import MusubiRx
import Testing

/// Contents without a database; the test decides what becomes of an action.
private final class StubContents: ContentsModel {
  let list = BehaviorRelay<[Content]>(value: [])
  let results = PublishRelay<(String, Result<Content, ContentsError>)>()
  let failed = PublishRelay<(String, ContentsError)>()
  private(set) var fetches: [String] = []
  private(set) var drafts: [ContentDraft] = []
  private(set) var deleted: [Int64] = []
  private(set) var deletions: [String] = []

  var contents: Observable<[Content]> { list.asObservable() }
  func content(_ id: Int64) -> Content? { list.value.first { $0.id == id } }
  func fetchContents(as request: String) { fetches.append(request) }
  func post(_ draft: ContentDraft) { drafts.append(draft) }
  func delete(_ id: Int64, as request: String) {
    deleted.append(id)
    deletions.append(request)
  }
  func outcome(of request: String) -> Observable<ContentsError?> {
    failed.filter { $0.0 == request }.map { $0.1 }
  }

  func postResult(for id: String) -> Observable<Result<Content, ContentsError>> {
    results.filter { $0.0 == id }.map { $0.1 }
  }
}

private struct PlainResources: ContentsResources {
  func text(of problem: ContentsError.Kind) -> String { "\(problem)" }
  func translations(of problem: ContentsError.Kind) -> Translations {
    Translations(en: "\(problem)", ja: "ja \(problem)")
  }
  func colour(of problem: ContentsError.Kind) -> String { "red" }
}

@Suite struct `The contents' ViewModel` {
  private let model = StubContents()
  private let entry = Content(
    id: 4, title: "Four", text: "four", author: "Ann", time: Date(timeIntervalSince1970: 0))
  private let bag = DisposeBag()
  private var ids = 0

  private func bind(_ inputs: ContentsViewModel.Inputs) -> (ContentsViewModel, ContentsViewModel.Outputs) {
    var last = 0
    let viewModel = ContentsViewModel(model: model, resources: PlainResources(), author: "Ann") {
      last += 1
      return ("post-\(last)", {})
    }
    return (viewModel, viewModel.bind(inputs))
  }

  private func collect<Element>(_ driver: Driver<Element>) -> Collected<Element> {
    let collected = Collected<Element>()
    driver.drive(onNext: { collected.elements.append($0) }).disposed(by: bag)
    return collected
  }

  @Test func `fetches when the view has loaded`() {
    let loaded = PublishRelay<Void>()
    let (viewModel, _) = bind(.init(viewDidLoad: loaded.asSignal()))
    #expect(model.fetches == [])

    loaded.accept(())

    #expect(model.fetches == ["post-1"])
    withExtendedLifetime(viewModel) {}
  }

  @Test func `shows the last known list at once, and each newer one`() {
    model.list.accept([entry])
    let (viewModel, outputs) = bind(.init())
    let shown = collect(outputs.contents)
    let isEmpty = collect(outputs.isEmpty)

    model.list.accept([])

    #expect(shown.elements == [[ContentRow(entry)], []])
    #expect(shown.elements[0][0].address == "/contents/4")
    #expect(isEmpty.elements == [false, true])
    withExtendedLifetime(viewModel) {}
  }

  @Test func `posts the latest text when the button is tapped, and clears the form afterwards`() {
    let (title, text, tap) = (PublishRelay<String>(), PublishRelay<String>(), PublishRelay<Void>())
    let (viewModel, outputs) = bind(
      .init(title: title.asSignal(), inputText: text.asSignal(), tapButton: tap.asSignal()))
    let cleared = collect(outputs.title)
    title.accept("T")
    text.accept("draft")
    text.accept("text")

    tap.accept(())
    #expect(model.drafts == [ContentDraft(id: "post-1", title: "T", text: "text", author: "Ann")])
    #expect(cleared.elements == [])
    model.results.accept(("post-1", .success(entry)))

    #expect(cleared.elements == [""])
    withExtendedLifetime(viewModel) {}
  }

  @Test func `posts once however often the button is tapped, until somebody writes again`() {
    let (title, tap) = (PublishRelay<String>(), PublishRelay<Void>())
    let (viewModel, _) = bind(.init(title: title.asSignal(), tapButton: tap.asSignal()))
    title.accept("T")
    for _ in 1...3 { tap.accept(()) }
    #expect(model.drafts.map(\.title) == ["T"])

    model.results.accept(("post-1", .success(entry)))
    tap.accept(())
    #expect(model.drafts.map(\.title) == ["T"])
    title.accept("U")
    tap.accept(())

    #expect(model.drafts.map(\.title) == ["T", "U"])
    withExtendedLifetime(viewModel) {}
  }

  @Test func `tells only of its own post's failure, and keeps the typed text`() throws {
    let tap = PublishRelay<Void>()
    let (viewModel, outputs) = bind(.init(tapButton: tap.asSignal()))
    let errors = collect(outputs.error)
    let cleared = collect(outputs.inputText)
    tap.accept(())

    model.results.accept(("another", .failure(ContentsError.sample)))
    #expect(errors.elements == [""])
    model.results.accept(("post-1", .failure(ContentsError.sample)))

    #expect(errors.elements == ["", "\(ContentsError.sample.kind)"])
    #expect(cleared.elements == [])
    tap.accept(())
    #expect(model.drafts.map(\.id) == ["post-1", "post-2"])
    withExtendedLifetime(viewModel) {}
  }

  @Test func `asks before it deletes, and deletes only the entry that it asked about`() {
    model.list.accept([entry])
    let (delete, confirm) = (PublishRelay<Int64>(), PublishRelay<Void>())
    let (viewModel, outputs) = bind(.init(delete: delete.asSignal(), confirmDelete: confirm.asSignal()))
    var questions: [DeleteQuestion] = []
    outputs.askDelete.emit(onNext: { questions.append($0) }).disposed(by: bag)

    confirm.accept(())
    #expect(model.deleted == [])
    delete.accept(4)
    #expect(questions.map(\.title) == ["Four"])
    #expect(model.deleted == [])
    confirm.accept(())
    confirm.accept(())

    #expect(model.deleted == [4])
    withExtendedLifetime(viewModel) {}
  }

  @Test func `tells why an entry could not be deleted, to the screen that asked alone`() {
    model.list.accept([entry])
    let (delete, confirm) = (PublishRelay<Int64>(), PublishRelay<Void>())
    let (viewModel, outputs) = bind(.init(delete: delete.asSignal(), confirmDelete: confirm.asSignal()))
    let errors = collect(outputs.error)
    let translated = collect(outputs.errorIn)
    let colours = collect(outputs.errorColour)
    delete.accept(4)
    confirm.accept(())

    model.failed.accept(("another", ContentsError.sample))
    #expect(errors.elements.last == "")
    model.failed.accept((model.deletions[0], ContentsError.sample))

    #expect(errors.elements.last == "busy")
    #expect(translated.elements.last == Translations(en: "busy", ja: "ja busy"))
    #expect(colours.elements.last == "red")
    withExtendedLifetime(viewModel) {}
  }

  @Test func `navigates to the ViewModel of the opened entry`() {
    model.list.accept([entry])
    let open = PublishRelay<Int64>()
    let (viewModel, outputs) = bind(.init(open: open.asSignal()))
    var next: [ContentViewModel] = []
    outputs.detail.emit(onNext: { next.append($0) }).disposed(by: bag)

    open.accept(4)
    open.accept(5)

    #expect(next.map(\.content) == [entry])
    withExtendedLifetime(viewModel) {}
  }
}

@Suite struct `An entry's ViewModel` {
  private let model = StubContents()
  private let bag = DisposeBag()

  private func entry(_ id: Int64) -> Content {
    Content(id: id, title: "\(id)", text: "", author: "", time: Date(timeIntervalSince1970: 0))
  }

  @Test func `tells that the entry was deleted while somebody reads it`() {
    model.list.accept([entry(4)])
    let viewModel = ContentViewModel(entry(4), model: model)
    let isGone = Collected<Bool>()
    viewModel.bind(.init()).isGone.drive(onNext: { isGone.elements.append($0) }).disposed(by: bag)

    model.list.accept([])

    #expect(isGone.elements == [false, true])
  }

  @Test func `leads to the entry before it, as long as there is one`() {
    model.list.accept([entry(9), entry(4), entry(2)])
    let older = PublishRelay<Void>()
    let viewModel = ContentViewModel(entry(9), model: model)
    let outputs = viewModel.bind(.init(older: older.asSignal()))
    let next = Collected<Int64>()
    let hasOlder = Collected<Bool>()
    outputs.olderEntry.emit(onNext: { next.elements.append($0.content.id) }).disposed(by: bag)
    outputs.hasOlder.drive(onNext: { hasOlder.elements.append($0) }).disposed(by: bag)

    older.accept(())
    model.list.accept([entry(9), entry(2)])
    older.accept(())
    model.list.accept([entry(9)])
    older.accept(())

    #expect(next.elements == [4, 2])
    #expect(hasOlder.elements == [true, true, false])
  }
}

private final class Collected<Element> {
  var elements: [Element] = []
}

extension ContentsError {
  /// Any failure: that of a locked database.
  fileprivate static var sample: ContentsError { ContentsError(.busy, "locked") }
}
