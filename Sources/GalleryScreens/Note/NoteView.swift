// SPDX-License-Identifier: Apache-2.0
import GalleryModel
import Musubi

/// The note screen: a text area that all in the room share, and who they are (`Public/note.html`).
final class NoteView: View {
  let text = TextField("text")
  let people = Label("people")

  private let presence = PublishSubject<NoteViewModel.Presence>()
  private lazy var viewModel = NoteViewModel(
    presence: presence.asObservable(), scheduler: context.clock
  ) { [context] bound in Int(context.random.next() % UInt64(bound)) }
  private let context: ScreenContext
  private let disposeBag = DisposeBag()

  init(context: ScreenContext) {
    self.context = context
  }

  override func viewDidLoad() {
    text.text = ""
    viewModel.people.bind(to: people.rx.text).disposed(by: disposeBag)
  }

  override func connectionDidChange(ofPage page: Int, isConnected: Bool) {
    presence.onNext(NoteViewModel.Presence(page: page, isConnected: isConnected))
  }
}
