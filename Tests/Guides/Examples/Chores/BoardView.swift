import Musubi

/// The same chores in outlets, for everybody in the room (`board.html`).
final class BoardView: View {
  private let chores = List<Chore>("chores")
  private let book: ChoreBook
  private let disposeBag = DisposeBag()

  init(book: ChoreBook) { self.book = book }

  override func viewDidLoad() {
    disposeBag.insert(
      book.chores.bind(to: chores.rx.items),
      chores.rx.tap("toggle").subscribe(onNext: { [book] id in book.toggle(id) }))
    // The same without Rx: the list's items are assigned, and taps call back.
    chores.onTap("remove") { [book] id in book.remove(id) }
    chores.onMove("move") { [book] move in book.move(move) }
  }
}
