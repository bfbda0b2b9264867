// SPDX-License-Identifier: Apache-2.0
import GalleryAPI
package import MusubiBinding
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
    package let isLoading: Driver<Bool>
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

  private let model: Shared<ContentsModel>
  private let resources: any ContentsResources
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
  ///   - state: What the page showed before.
  package init(model: Shared<ContentsModel>, resources: any ContentsResources, state: State? = nil) {
    self.model = model
    self.resources = resources
    guard let state else { return }
    title.accept(state.title)
    text.accept(state.text)
    deletion.accept(state.deletion)
  }

  /// Connects the page's inputs with its outputs.
  package func bind(_ inputs: Inputs) -> Outputs {
    inputs.viewDidLoad.emit(onNext: { [weak self] in self?.send(.fetch) }).disposed(by: disposeBag)
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

    // Nil until the model has answered.
    let contents: Driver<[Content]?> = model.contents.startWith(nil)
    let emptied = cleared.asDriver(onErrorJustReturn: ()).map { "" }
    return Outputs(
      contents: contents.map { ($0 ?? []).map(ContentRow.init) },
      title: emptied,
      inputText: emptied,
      error: problem.asDriver().map { [resources] problem in problem.map(resources.text) ?? "" },
      errorIn: problem.asDriver().map { [resources] problem in problem.map(resources.translations) },
      errorColour: problem.asDriver().map { [resources] problem in problem.map(resources.colour) ?? "" },
      // Who knows why nothing comes is not told that it is on its way.
      isLoading: Driver.combineLatest(contents, problem.asDriver()) { $0 == nil && $1 == nil },
      isEmpty: contents.map { $0?.isEmpty == true },
      detail: Self.entries(inputs.open, in: contents).map { [model] entry in
        ContentViewModel(entry.id, entry, model: model)
      },
      askDelete: Self.entries(inputs.delete, in: contents).map { DeleteQuestion(id: $0.id, title: $0.title) })
  }

  /// The entries of numbers, as they come.
  private static func entries(_ ids: Signal<Content.ID>, in contents: Driver<[Content]?>) -> Signal<Content> {
    ids.asObservable()
      .withLatestFrom(contents) { id, list in list?.first { $0.id == id } }
      .compactMap { $0 }
      .asSignal(onErrorSignalWith: .empty())
  }

  /// Posts the written text.
  ///
  /// - Returns: Nil or the problem, once.
  private func post() -> Observable<ContentsError.Kind?> {
    outcome(of: .post(title: title.value, text: text.value))
  }

  private func finish(_ failure: ContentsError.Kind?) {
    problem.accept(failure)
    guard failure == nil else { return }
    title.accept("")
    text.accept("")
    isPosted.accept(true)
    cleared.accept(())
  }

  private func delete() {
    guard let id = deletion.value else { return }
    deletion.accept(nil)
    problem.accept(nil)
    send(.delete(id))
  }

  /// Sends a command, and shows why it fails, if it does.
  private func send(_ command: ContentsModel.Command) {
    outcome(of: command)
      .subscribe(onNext: { [problem] failure in if let failure { problem.accept(failure) } })
      .disposed(by: disposeBag)
  }

  /// Sends a command.
  ///
  /// - Returns: Nil or the problem, once.
  private func outcome(of command: ContentsModel.Command) -> Observable<ContentsError.Kind?> {
    model.send(command).asObservable()
      .map { nil }
      .catch { error in .just(ContentsError.kind(of: error)) }
  }
}

extension ContentsError {
  /// What became of a command that has failed.
  fileprivate static func kind(of error: any Error) -> Kind {
    switch error {
    case let error as ContentsError: error.kind
    case SharedModelError.busy: .busy
    default: .unavailable
    }
  }
}
