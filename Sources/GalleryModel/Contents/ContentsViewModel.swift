// SPDX-License-Identifier: Apache-2.0
import GalleryAPI
package import class MusubiRx.BehaviorRelay
package import struct MusubiRx.Driver
package import class MusubiRx.DisposeBag
package import class MusubiRx.Observable
package import class MusubiRx.PublishRelay
package import struct MusubiRx.Signal

/// A question before an entry is removed.
package struct DeleteQuestion: Encodable, Equatable {
  /// The entry's number.
  package let id: Int64
  /// Its title.
  package let title: String
}

/// The list of contents, with a form to add one.
package final class ContentsViewModel {
  /// The page's inputs; a test names only those that it needs.
  package struct Inputs: Decodable {
    package var viewDidLoad: Signal<Void>
    package var title: Signal<String>
    package var inputText: Signal<String>
    package var tapButton: Signal<Void>
    package var open: Signal<Int64>
    package var delete: Signal<Int64>
    package var confirmDelete: Signal<Void>

    /// Streams that never emit, but for those that are named.
    package init(
      viewDidLoad: Signal<Void> = .never(), title: Signal<String> = .never(),
      inputText: Signal<String> = .never(), tapButton: Signal<Void> = .never(),
      open: Signal<Int64> = .never(), delete: Signal<Int64> = .never(),
      confirmDelete: Signal<Void> = .never()
    ) {
      self.viewDidLoad = viewDidLoad
      self.title = title
      self.inputText = inputText
      self.tapButton = tapButton
      self.open = open
      self.delete = delete
      self.confirmDelete = confirmDelete
    }
  }

  /// What the page shows.
  package struct Outputs: Encodable {
    package let contents: Driver<[ContentRow]>
    package let title: Driver<String>
    package let inputText: Driver<String>
    package let error: Driver<String>
    package let errorIn: Driver<Translations?>
    package let errorColour: Driver<String>
    package let isEmpty: Driver<Bool>
    package let detail: Signal<ContentViewModel>
    package let askDelete: Signal<DeleteQuestion>
  }

  /// What survives a restart: the draft, and the entry that the visitor was asked about.
  package struct State: Codable, Equatable {
    package var title: String
    package var text: String
    package var deletion: Int64?
  }

  /// What survives a restart.
  package var state: State { State(title: title.value, text: text.value, deletion: deletion.value) }

  private let model: any ContentsModel
  private let resources: any ContentsResources
  private let author: String
  private let begin: () -> (id: String, finish: () -> Void)
  private let title = BehaviorRelay(value: "")
  private let text = BehaviorRelay(value: "")
  private let cleared = PublishRelay<Void>()
  private let isPosted = BehaviorRelay(value: false)
  private let problem = BehaviorRelay<ContentsError.Kind?>(value: nil)
  private let deletion = BehaviorRelay<Int64?>(value: nil)
  private let disposeBag = DisposeBag()

  /// A list.
  ///
  /// - Parameters:
  ///   - model: The entries.
  ///   - resources: How problems look.
  ///   - author: Who posts.
  ///   - state: What the page showed before.
  ///   - begin: Called for each action: names it, and wants to know when it has finished.
  package init(
    model: any ContentsModel, resources: any ContentsResources, author: String, state: State? = nil,
    begin: @escaping () -> (id: String, finish: () -> Void)
  ) {
    self.model = model
    self.resources = resources
    self.author = author
    self.begin = begin
    guard let state else { return }
    title.accept(state.title)
    text.accept(state.text)
    deletion.accept(state.deletion)
  }

  /// Connects the page's inputs with its outputs.
  package func bind(_ inputs: Inputs) -> Outputs {
    inputs.viewDidLoad.emit(onNext: { [weak self] in self?.fetch() }).disposed(by: disposeBag)
    inputs.title.emit(to: title).disposed(by: disposeBag)
    inputs.inputText.emit(to: text).disposed(by: disposeBag)
    Signal.merge(inputs.title, inputs.inputText).map { _ in false }.emit(to: isPosted)
      .disposed(by: disposeBag)
    // One post at a time: a tap while one is under way, as by a double click, posts nothing. Neither does a
    // tap after its success, before somebody writes again.
    inputs.tapButton.asObservable()
      .filter { [isPosted] in !isPosted.value }
      .flatMapFirst { [weak self] in self?.post() ?? .empty() }
      .subscribe(onNext: { [weak self] result in self?.finish(result) })
      .disposed(by: disposeBag)
    inputs.delete.emit(onNext: { [deletion] id in deletion.accept(id) }).disposed(by: disposeBag)
    inputs.confirmDelete.emit(onNext: { [weak self] in self?.delete() }).disposed(by: disposeBag)

    let contents = model.contents.asDriver(onErrorJustReturn: [])
    let emptied = cleared.asDriver(onErrorJustReturn: ()).map { "" }
    return Outputs(
      contents: contents.map { $0.map(ContentRow.init) },
      title: emptied,
      inputText: emptied,
      error: problem.asDriver().map { [resources] problem in problem.map(resources.text) ?? "" },
      errorIn: problem.asDriver().map { [resources] problem in problem.map(resources.translations) },
      errorColour: problem.asDriver().map { [resources] problem in problem.map(resources.colour) ?? "" },
      isEmpty: contents.map { $0.isEmpty },
      detail: inputs.open.compactMap { [model] id in
        model.content(id).map { ContentViewModel($0, model: model) }
      },
      askDelete: inputs.delete.compactMap { [model] id in
        model.content(id).map { DeleteQuestion(id: $0.id, title: $0.title) }
      })
  }

  /// Posts the written text.
  ///
  /// - Returns: What becomes of it, once.
  private func post() -> Observable<Result<Content, ContentsError>> {
    let (id, finish) = begin()
    let draft = ContentDraft(id: id, title: title.value, text: text.value, author: author)
    return model.postResult(for: draft.id)
      .take(1)
      .do(afterCompleted: finish, onSubscribed: { [model] in model.post(draft) })
  }

  private func finish(_ result: Result<Content, ContentsError>) {
    switch result {
    case .success:
      problem.accept(nil)
      title.accept("")
      text.accept("")
      isPosted.accept(true)
      cleared.accept(())
    case .failure(let error):
      problem.accept(error.kind)
    }
  }

  private func delete() {
    guard let id = deletion.value else { return }
    deletion.accept(nil)
    problem.accept(nil)
    model.delete(id, as: listenForOutcome())
  }

  private func fetch() { model.fetchContents(as: listenForOutcome()) }

  /// Shows why an action fails, if it does; subscribed before it begins.
  ///
  /// - Returns: The action's name.
  private func listenForOutcome() -> String {
    let (request, finish) = begin()
    model.outcome(of: request)
      .take(1)
      .subscribe(onNext: { [problem] error in
        if let error { problem.accept(error.kind) }
        finish()
      })
      .disposed(by: disposeBag)
    return request
  }
}
