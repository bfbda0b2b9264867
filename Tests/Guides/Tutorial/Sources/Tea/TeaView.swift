import Musubi

/// A field for the minutes, a button, and the clock (`Public/tea.html`).
final class TeaView: View {
  private let minutes = TextField("minutes")
  private let start = Button("start")
  private let clock = Label("clock")
  private let disposeBag = DisposeBag()

  private lazy var viewModel = TeaViewModel(
    minutes: minutes.rx.text.asObservable(),
    start: start.rx.tap.asObservable())

  override func viewDidLoad() {
    minutes.text = "3"
    disposeBag.insert(
      viewModel.clock.drive(clock.rx.text),
      viewModel.isDrawing.map { !$0 }.drive(start.rx.isEnabled))
  }
}
