// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryAPI
import GalleryModel
import MusubiBinding
import MusubiRx
import Testing

private struct PlainResources: ContentsResources {
  func text(of problem: ContentsError.Kind) -> String { "\(problem)" }
  func translations(of problem: ContentsError.Kind) -> Translations {
    Translations(en: "\(problem)", ja: "ja \(problem)")
  }
  func colour(of problem: ContentsError.Kind) -> String { "red" }
}

/// Contents in memory, and what one visitor asks of them.
private struct Contents {
  let api: ContentsAPI
  let model: Shared<ContentsModel>

  init() throws {
    api = try ContentsAPI(folder: nil, now: { Date(timeIntervalSince1970: 0) })
    model = Shared(ContentsModel(api: api), sender: Visitor(id: "ann", displayName: "Ann"))
  }

  /// Adds entries with these titles, and has the model know them.
  func add(_ titles: String...) async throws {
    for title in titles {
      _ = try await api.post(title: title, text: "text", author: "Bob", idempotencyKey: "entry \(title)")
    }
    await refresh()
  }

  /// Removes an entry, as somebody else does.
  func remove(_ id: Content.ID) async {
    model.send(.delete(id))
    await model.settle()
  }

  func refresh() async {
    model.send(.fetch)
    await model.settle()
  }

  func titles() async throws -> [String] { try await api.fetch().map(\.title) }
}

@Suite(.timeLimit(.minutes(5))) struct `The contents' ViewModel` {
  private let contents: Contents
  private let bag = DisposeBag()

  init() throws { contents = try Contents() }

  private func bind(_ inputs: ContentsViewModel.Inputs) -> (ContentsViewModel, ContentsViewModel.Outputs) {
    let viewModel = ContentsViewModel(model: contents.model, resources: PlainResources())
    return (viewModel, viewModel.bind(inputs))
  }

  private func collect<Element>(_ driver: Driver<Element>) -> Collected<Element> {
    let collected = Collected<Element>()
    driver.drive(onNext: { collected.elements.append($0) }).disposed(by: bag)
    return collected
  }

  @Test func `shows that it is loading until the entries are read`() async throws {
    _ = try await contents.api.post(title: "Four", text: "text", author: "Bob", idempotencyKey: "4")
    let loaded = PublishRelay<Void>()
    let (viewModel, outputs) = bind(.init(viewDidLoad: loaded.asSignal()))
    let titles = collect(outputs.contents)
    let isLoading = collect(outputs.isLoading)
    let isEmpty = collect(outputs.isEmpty)
    await contents.model.settle()
    #expect(isLoading.elements.last == true && isEmpty.elements.last == false)

    loaded.accept(())
    await contents.model.settle()

    #expect(isLoading.elements.last == false && isEmpty.elements.last == false)
    #expect(titles.elements.last?.map(\.title) == ["Four"])
    withExtendedLifetime(viewModel) {}
  }

  @Test func `shows the last known list at once, and each newer one`() async throws {
    try await contents.add("Four")
    let (viewModel, outputs) = bind(.init())
    let shown = collect(outputs.contents)
    let isEmpty = collect(outputs.isEmpty)
    #expect(shown.elements.last?.map(\.title) == ["Four"])
    #expect(shown.elements.last?.first?.address == "/contents/1")
    #expect(isEmpty.elements.last == false)

    await contents.remove(1)

    #expect(shown.elements.last == [])
    #expect(isEmpty.elements.last == true)
    withExtendedLifetime(viewModel) {}
  }

  @Test func `posts the latest text when the button is tapped, and clears the form afterwards`() async throws
  {
    let (title, text, tap) = (PublishRelay<String>(), PublishRelay<String>(), PublishRelay<Void>())
    let (viewModel, outputs) = bind(
      .init(title: title.asSignal(), inputText: text.asSignal(), tapButton: tap.asSignal()))
    let cleared = collect(outputs.title)
    let shown = collect(outputs.contents)
    title.accept("T")
    text.accept("draft")
    text.accept("text")

    #expect(cleared.elements == [])

    tap.accept(())
    await contents.model.settle()

    let posted = try await contents.api.fetch()
    #expect(posted.map(\.title) == ["T"] && posted.map(\.text) == ["text"] && posted.map(\.author) == ["Ann"])
    #expect(shown.elements.last?.map(\.title) == ["T"])
    #expect(cleared.elements == [""])
    withExtendedLifetime(viewModel) {}
  }

  @Test func `posts once however often the button is tapped, until somebody writes again`() async throws {
    let (title, text, tap) = (PublishRelay<String>(), PublishRelay<String>(), PublishRelay<Void>())
    let (viewModel, _) = bind(
      .init(title: title.asSignal(), inputText: text.asSignal(), tapButton: tap.asSignal()))
    title.accept("T")
    text.accept("text")
    for _ in 1...3 { tap.accept(()) }
    await contents.model.settle()
    #expect(try await contents.titles() == ["T"])

    tap.accept(())
    await contents.model.settle()
    #expect(try await contents.titles() == ["T"])
    title.accept("U")
    text.accept("text")
    tap.accept(())
    await contents.model.settle()

    #expect(try await contents.titles() == ["U", "T"])
    withExtendedLifetime(viewModel) {}
  }

  @Test func `tells only of its own post's failure, and keeps the typed text`() async throws {
    let (title, tap) = (PublishRelay<String>(), PublishRelay<Void>())
    let (viewModel, outputs) = bind(.init(title: title.asSignal(), tapButton: tap.asSignal()))
    let (other, others) = bind(.init())
    let errors = collect(outputs.error)
    let otherErrors = collect(others.error)
    let cleared = collect(outputs.title)
    title.accept("T")

    tap.accept(())
    await contents.model.settle()

    #expect(errors.elements == ["", "empty(GalleryAPI.ContentsError.Field.text)"])
    #expect(otherErrors.elements == [""])
    #expect(cleared.elements == [] && viewModel.state.title == "T")
    withExtendedLifetime((viewModel, other)) {}
  }

  @Test func `asks before it deletes, and deletes only the entry that it asked about`() async throws {
    try await contents.add("Three", "Four")
    let (delete, confirm) = (PublishRelay<Int64>(), PublishRelay<Void>())
    let (viewModel, outputs) = bind(.init(delete: delete.asSignal(), confirmDelete: confirm.asSignal()))
    var questions: [DeleteQuestion] = []
    outputs.askDelete.emit(onNext: { questions.append($0) }).disposed(by: bag)

    confirm.accept(())
    delete.accept(2)
    await contents.model.settle()
    #expect(questions.map(\.title) == ["Four"])
    #expect(try await contents.titles() == ["Four", "Three"])
    confirm.accept(())
    confirm.accept(())
    await contents.model.settle()

    #expect(try await contents.titles() == ["Three"])
    withExtendedLifetime(viewModel) {}
  }

  @Test func `tells why an entry could not be deleted, and not that it had gone already`() async throws {
    try await contents.add("Three", "Four")
    let (delete, confirm) = (PublishRelay<Int64>(), PublishRelay<Void>())
    let (viewModel, outputs) = bind(.init(delete: delete.asSignal(), confirmDelete: confirm.asSignal()))
    let errors = collect(outputs.error)
    let translated = collect(outputs.errorIn)
    let colours = collect(outputs.errorColour)
    try await contents.api.delete(1)
    delete.accept(1)
    confirm.accept(())
    await contents.model.settle()
    #expect(errors.elements.last == "")

    await contents.api.close()
    delete.accept(2)
    confirm.accept(())
    await contents.model.settle()

    #expect(errors.elements.last == "closed")
    #expect(translated.elements.last == Translations(en: "closed", ja: "ja closed"))
    #expect(colours.elements.last == "red")
    withExtendedLifetime(viewModel) {}
  }

  @Test func `navigates to the ViewModel of the opened entry`() async throws {
    try await contents.add("Four")
    let open = PublishRelay<Int64>()
    let (viewModel, outputs) = bind(.init(open: open.asSignal()))
    var next: [ContentViewModel] = []
    outputs.detail.emit(onNext: { next.append($0) }).disposed(by: bag)

    open.accept(1)
    open.accept(5)

    #expect(next.map(\.content?.title) == ["Four"])
    withExtendedLifetime(viewModel) {}
  }
}

@Suite(.timeLimit(.minutes(5))) struct `An entry's ViewModel` {
  private let contents: Contents
  private let bag = DisposeBag()

  init() throws { contents = try Contents() }

  private func collect<Element>(_ driver: Driver<Element>) -> Collected<Element> {
    let collected = Collected<Element>()
    driver.drive(onNext: { collected.elements.append($0) }).disposed(by: bag)
    return collected
  }

  @Test func `is loading until the entries are read, and then shows the entry or that there is none`()
    async throws
  {
    _ = try await contents.api.post(title: "Four", text: "text", author: "Bob", idempotencyKey: "4")
    let (viewModel, none) = (
      ContentViewModel(1, model: contents.model), ContentViewModel(2, model: contents.model)
    )
    let (outputs, noOutputs) = (viewModel.bind(.init()), none.bind(.init()))
    let (isLoading, isMissing, titles) = (
      collect(outputs.isLoading), collect(outputs.isMissing), collect(outputs.title)
    )
    let (noneIsLoading, noneIsMissing, noneIsGone, noTitles) = (
      collect(noOutputs.isLoading), collect(noOutputs.isMissing), collect(noOutputs.isGone),
      collect(noOutputs.title)
    )
    #expect(isLoading.elements.last == true && isMissing.elements.last == false && titles.elements == [])
    #expect(noneIsLoading.elements.last == true && noneIsMissing.elements.last == false)

    await contents.refresh()

    #expect(isLoading.elements.last == false && !isMissing.elements.contains(true))
    #expect(titles.elements == ["Four"] && viewModel.content?.text == "text")
    #expect(noneIsLoading.elements.last == false && noneIsMissing.elements.last == true)
    #expect(!noneIsGone.elements.contains(true) && noTitles.elements == [] && none.content == nil)
  }

  @Test func `says that it cannot be read, and no longer that it is loading`() async throws {
    await contents.api.close()
    let (one, list) = (
      ContentViewModel(1, model: contents.model, fetches: true),
      ContentsViewModel(model: contents.model, resources: PlainResources())
    )
    let outputs = one.bind(.init())
    let (isLoading, hasFailed) = (collect(outputs.isLoading), collect(outputs.hasFailed))
    let loaded = PublishRelay<Void>()
    let listIsLoading = collect(list.bind(.init(viewDidLoad: loaded.asSignal())).isLoading)
    #expect(listIsLoading.elements.last == true)
    loaded.accept(())
    await contents.model.settle()
    #expect(isLoading.elements.last == false && hasFailed.elements.last == true)
    #expect(listIsLoading.elements.last == false)
    withExtendedLifetime((one, list)) {}
  }

  @Test func `tells that the entry was deleted while somebody reads it`() async throws {
    try await contents.add("Four")
    let viewModel = ContentViewModel(1, model: contents.model)
    let outputs = viewModel.bind(.init())
    let (isGone, isMissing) = (collect(outputs.isGone), collect(outputs.isMissing))
    #expect(isGone.elements.last == false)

    await contents.remove(1)

    #expect(isGone.elements.last == true && !isMissing.elements.contains(true))
  }

  @Test func `leads to the entry before it, as long as there is one`() async throws {
    try await contents.add("One", "Two", "Three")
    let older = PublishRelay<Void>()
    let viewModel = ContentViewModel(3, model: contents.model)
    let outputs = viewModel.bind(.init(older: older.asSignal()))
    let next = Collected<Int64>()
    let hasOlder = collect(outputs.hasOlder)
    outputs.olderEntry.emit(onNext: { next.elements.append($0.id) }).disposed(by: bag)

    older.accept(())
    await contents.remove(2)
    older.accept(())
    #expect(hasOlder.elements.last == true)
    await contents.remove(1)
    older.accept(())

    #expect(next.elements == [2, 1])
    #expect(hasOlder.elements.last == false)
  }
}

private final class Collected<Element> {
  var elements: [Element] = []
}
