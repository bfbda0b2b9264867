import Musubi

/// The same list in an outlet.
final class EntriesView: View {
  private let entries = WindowedList<RowArray<LogEntry>>("entries")
  private let add = Button("add")
  private let model: EntriesModel
  private let disposeBag = DisposeBag()

  init(model: EntriesModel) { self.model = model }

  override func viewDidLoad() {
    model.entries.map { RowArray($0) }.drive(entries.rx.rows).disposed(by: disposeBag)
    add.onTap = { [model] in model.add() }
    entries.onTap("toggle") { [model] id in model.toggle(id) }
  }
}
