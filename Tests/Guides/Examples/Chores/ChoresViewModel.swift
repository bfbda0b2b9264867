import MusubiRx

/// A list of chores: add, mark, open, delete.
final class ChoresViewModel {
  /// A box that was ticked in a row, or no longer is.
  struct Mark: Decodable {
    let id: Chore.ID
    let value: Bool
  }

  /// The page's inputs; `isDone`, `note`, `open` and `delete` come from a row, and carry its id.
  struct Inputs: Decodable {
    var title: Signal<String> = .never()
    var add: Signal<Void> = .never()
    var isDone: Signal<Mark> = .never()
    var note: Signal<RowText<Chore.ID>> = .never()
    var open: Signal<Chore.ID> = .never()
    var delete: Signal<Chore.ID> = .never()
    var confirmDelete: Signal<Chore.ID> = .never()
    var selected: Signal<[Chore.ID]> = .never()
    var deleteSelected: Signal<Void> = .never()
  }

  /// The page's outputs, and its next screens.
  struct Outputs: Encodable {
    let title: Driver<String>
    let chores: Driver<[Chore]>
    let summary: Driver<String>
    let selected: Driver<[Chore.ID]>
    let detail: Signal<ChoreViewModel>
    let askDelete: Signal<DeleteQuestion>
  }

  private let book: ChoreBook
  private let title = BehaviorRelay(value: "")
  private let selected = BehaviorRelay<[Chore.ID]>(value: [])
  private let disposeBag = DisposeBag()

  init(book: ChoreBook) { self.book = book }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.title.emit(to: title).disposed(by: disposeBag)
    inputs.add.emit(onNext: { [weak self] in self?.add() }).disposed(by: disposeBag)
    inputs.isDone.emit(onNext: { [book] mark in book.mark(mark.id, isDone: mark.value) })
      .disposed(by: disposeBag)
    inputs.note.emit(onNext: { [book] typed in book.write(typed.text, into: typed.id) })
      .disposed(by: disposeBag)
    inputs.confirmDelete.emit(onNext: { [book] id in book.remove(id) }).disposed(by: disposeBag)
    inputs.selected.emit(to: selected).disposed(by: disposeBag)
    inputs.deleteSelected.emit(onNext: { [book, selected] in selected.value.forEach(book.remove) })
      .disposed(by: disposeBag)

    let chores = book.chores.asDriver(onErrorJustReturn: [])
    return Outputs(
      title: title.asDriver(),
      chores: chores,
      summary: chores.map { chores in "\(chores.count { !$0.isDone }) to do" },
      selected: Driver.combineLatest(chores, selected.asDriver()) { chores, ids in
        ids.filter { id in chores.contains { $0.id == id } }
      },
      detail: inputs.open.compactMap { [book] id in
        book.chore(id).map { chore in ChoreViewModel(chore: chore, book: book) }
      },
      askDelete: inputs.delete.compactMap { [book] id in
        book.chore(id).map { DeleteQuestion(id: $0.id, title: $0.title) }
      })
  }

  private func add() {
    guard !title.value.isEmpty else { return }
    book.add(title.value)
    title.accept("")
  }
}
