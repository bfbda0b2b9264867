import MusubiRx

/// A book, opened at a chapter.
final class BookViewModel {
  /// The page's inputs.
  struct Inputs: Decodable {
    var chapter: Signal<Int> = .never()
    var next: Signal<Void> = .never()
  }

  /// The page's outputs.
  struct Outputs: Encodable {
    let title: Driver<String>
    let chapter: Driver<Int>
  }

  let book: Book
  private let chapter: BehaviorRelay<Int>
  private let disposeBag = DisposeBag()

  init(book: Book, chapter: Int?) {
    self.book = book
    self.chapter = BehaviorRelay(value: chapter ?? 1)
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.chapter.emit(to: chapter).disposed(by: disposeBag)
    inputs.next.emit(onNext: { [chapter] in chapter.accept(chapter.value + 1) }).disposed(by: disposeBag)
    return Outputs(title: .just(book.title), chapter: chapter.asDriver())
  }
}
