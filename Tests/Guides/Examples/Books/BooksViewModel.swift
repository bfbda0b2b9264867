import MusubiRx

/// A book, as a row shows it.
struct Book: Codable, Equatable, Identifiable {
  let id: Int
  let title: String
  let isRead: Bool
  /// Where its page is.
  let address: String

  init(id: Int, title: String, isRead: Bool) {
    (self.id, self.title, self.isRead, address) = (id, title, isRead, "/books/\(id)")
  }
}

/// Which books are shown.
enum Shelf: String, Codable {
  case all, unread, read
}

/// The books of a shelf whose titles contain a word.
final class BooksViewModel {
  /// The page's inputs.
  struct Inputs: Decodable {
    var shelf: Signal<Shelf> = .never()
    var word: Signal<String> = .never()
    var open: Signal<Int> = .never()
  }

  /// The page's outputs.
  struct Outputs: Encodable {
    let shelf: Driver<Shelf>
    let word: Driver<String>
    let books: Driver<[Book]>
    let detail: Signal<BookViewModel>
  }

  static let books = [
    Book(id: 1, title: "Kokoro", isRead: true), Book(id: 2, title: "Botchan", isRead: false),
    Book(id: 3, title: "雪国", isRead: false),
  ]
  private let shelf: BehaviorRelay<Shelf>
  private let word: BehaviorRelay<String>
  private let disposeBag = DisposeBag()

  /// The address is anybody's to write: what it cannot mean is left out.
  init(shelf: String?, word: String?) {
    self.shelf = BehaviorRelay(value: shelf.flatMap(Shelf.init) ?? .all)
    self.word = BehaviorRelay(value: word ?? "")
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.shelf.emit(to: shelf).disposed(by: disposeBag)
    inputs.word.emit(to: word).disposed(by: disposeBag)
    return Outputs(
      shelf: shelf.asDriver(),
      word: word.asDriver(),
      books: Driver.combineLatest(shelf.asDriver(), word.asDriver()) { shelf, word in
        Self.books.filter { book in
          (shelf == .all || book.isRead == (shelf == .read)) && (word.isEmpty || book.title.contains(word))
        }
      },
      detail: inputs.open.compactMap { id in
        Self.books.first { $0.id == id }.map { BookViewModel(book: $0, chapter: nil) }
      })
  }
}
