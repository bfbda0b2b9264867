import Musubi

/// The same with outlets.
final class LetterView: View {
  private let letter = TextField("letter")
  private let people = List<Presence.Person>("people")
  private let presence: Driver<Presence>
  private let disposeBag = DisposeBag()

  init(presence: Driver<Presence>) { self.presence = presence }

  override func viewDidLoad() {
    letter.text = ""
    presence.map(\.people).drive(people.rx.items).disposed(by: disposeBag)
  }
}
