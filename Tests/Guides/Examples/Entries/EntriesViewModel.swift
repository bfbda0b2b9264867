import MusubiRx

struct LogEntry: Encodable, Identifiable {
  let id: Int
  var text: String
  var isDone = false
}

final class EntriesModel {
  private let relay: BehaviorRelay<[LogEntry]>
  var entries: Driver<[LogEntry]> { relay.asDriver() }

  init(count: Int) {
    relay = BehaviorRelay(value: (1...count).map { LogEntry(id: $0, text: "Entry \($0)") })
  }

  func add() {
    let id = relay.value.count + 1
    relay.accept([LogEntry(id: id, text: "Entry \(id)")] + relay.value)
  }

  func toggle(_ id: Int) {
    var entries = relay.value
    guard let place = entries.firstIndex(where: { $0.id == id }) else { return }
    entries[place].isDone.toggle()
    relay.accept(entries)
  }
}

final class EntriesViewModel {
  struct Inputs: Decodable {
    var add: Signal<Void> = .never()
    var toggle: Signal<Int> = .never()
  }

  struct Outputs: Encodable {
    let entries: Driver<RowArray<LogEntry>>
  }

  private let model: EntriesModel
  private let disposeBag = DisposeBag()

  init(model: EntriesModel) { self.model = model }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.add.emit(onNext: { [model] in model.add() }).disposed(by: disposeBag)
    inputs.toggle.emit(onNext: { [model] id in model.toggle(id) }).disposed(by: disposeBag)
    return Outputs(entries: model.entries.map { RowArray($0) })
  }
}
