import MusubiRx

/// A question before a chore is taken away.
struct DeleteQuestion: Encodable {
  /// The chore's.
  let id: Int
  /// Its name in the dialog.
  let title: String
}

/// One chore on a page of its own.
final class ChoreViewModel {
  /// The page's inputs.
  struct Inputs: Decodable {
    var toggle: Signal<Void> = .never()
  }

  /// The page's outputs.
  struct Outputs: Encodable {
    let title: Driver<String>
    let state: Driver<String>
  }

  /// The chore as it was when the page was opened.
  let chore: Chore
  private let book: ChoreBook
  private let disposeBag = DisposeBag()

  init(chore: Chore, book: ChoreBook) {
    self.chore = chore
    self.book = book
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.toggle.emit(onNext: { [book, chore] in book.toggle(chore.id) }).disposed(by: disposeBag)
    let present = book.chores.asDriver(onErrorJustReturn: [])
      .map { [chore] chores in chores.first { $0.id == chore.id } }
    return Outputs(
      title: .just(chore.title),
      state: present.map { present in
        guard let present else { return "Somebody has deleted this chore." }
        return present.isDone ? "Done." : "Still to do."
      })
  }
}
