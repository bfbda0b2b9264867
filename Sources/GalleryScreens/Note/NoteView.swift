// SPDX-License-Identifier: Apache-2.0
import GalleryModel
import Musubi

/// The note screen: a text area that all in the room share, and who they are (`Public/note.html`).
final class NoteView: View {
  let text = TextField("text")
  let people = Label("people")
  let japanesePeople = Label("peopleJa")
  let writers = List<NoteViewModel.Writer>("writers")

  fileprivate let viewModel: NoteViewModel
  private let disposeBag = DisposeBag()

  init(context: ScreenContext) throws {
    viewModel = NoteViewModel(presence: context.presence, names: try context.restored() ?? [:]) { bound in
      Int(context.random.next() % UInt64(bound))
    }
  }

  override func viewDidLoad() {
    text.text = ""
    disposeBag.insert(
      viewModel.writers.bind(to: writers.rx.items),
      viewModel.people.bind(to: people.rx.text),
      viewModel.peopleInJapanese.bind(to: japanesePeople.rx.text))
  }
}

extension NoteView: Restorable {
  /// The names of people who have none of their own; the note itself is a two-way text, which is stored beside it.
  var state: [String: String] { viewModel.names }
}
