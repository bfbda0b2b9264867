// SPDX-License-Identifier: Apache-2.0
import GalleryModel
import Musubi

/// The note screen: a text area that all in the room share, and who they are (`Public/note.html`).
final class NoteView: View {
  let text = TextField("text")
  let people = Label("people")
  let japanesePeople = Label("peopleJa")

  private let presence = PublishSubject<NoteViewModel.Presence>()
  fileprivate lazy var viewModel = NoteViewModel(
    presence: presence.asObservable(), scheduler: context.clock, names: names ?? [:]
  ) { [context] bound in Int(context.random.next() % UInt64(bound)) }
  private let context: ScreenContext
  private let names: [Int: String]?
  private let disposeBag = DisposeBag()

  init(context: ScreenContext) throws {
    self.context = context
    names = try context.restored()
  }

  override func viewDidLoad() {
    text.text = ""
    disposeBag.insert(
      viewModel.people.bind(to: people.rx.text),
      viewModel.peopleInJapanese.bind(to: japanesePeople.rx.text))
  }

  override func connectionDidChange(ofPage page: Int, isConnected: Bool) {
    presence.onNext(NoteViewModel.Presence(page: page, isConnected: isConnected))
  }
}

extension NoteView: Restorable {
  /// The pages' names; the note itself is a two-way text, which is stored beside it.
  var state: [Int: String] { viewModel.names }
}
