import MusubiRx
import Observation

/// A page of the guestbook.
@Observation.Observable final class GuestbookModel {
  var text = ""
  private(set) var entries: [Entry] = []
  private let book: Guestbook
  private let disposeBag = DisposeBag()

  init(book: Guestbook) {
    self.book = book
    // Delivered on this screen's loop, whichever loop has written.
    book.entries.subscribe(onNext: { [unowned self] in entries = $0 }).disposed(by: disposeBag)
  }

  var cannotSign: Bool { text.isEmpty }

  func sign(key: String) async throws {
    let signed = text
    guard !signed.isEmpty else { return }
    try await book.sign(signed, key: key)
    // The loop has gone on meanwhile, and its visitor may have typed.
    if text == signed { text = "" }
  }
}
