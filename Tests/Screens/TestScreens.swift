// SPDX-License-Identifier: Apache-2.0
import Glibc
import Musubi

/// `musubi-test-screens`: screens that tests need and no visitor does.
@main
struct TestScreens {
  static func main() async {
    // No other variable may change what a test starts; this one lets a script say who its pages are.
    let variable = "MUSUBI_SCRIPT_SECRET"
    let environment = getenv(variable).map { [variable: String(cString: $0)] } ?? [:]
    await Application.run(environment: environment) { application in
      // What policy.html tries.
      application.configuration.contentSecurity.allow(
        images: ["blob:"], frameAncestors: ["'self'"],
        scripts: ["sha256-mchmoE7KQU2dc+ugGVbj4XlBLgkZG2ZVLtde+niyxzA="],
        trustedTypes: ["test-widget", "test-chart"])
      application.screen("capitals", scope: .room, page: "capitals.html") { _ in CapitalsView() }
      application.screen("spelling", scope: .room, page: "capitals.html") { context in
        SpellingView(clock: context.clock)
      }
      application.screen("controls", scope: .room, page: "controls.html") { _ in ControlsViewModel() }
      application.screen("rows", scope: .room, page: "rows.html") { _ in RowsViewModel() }
      application.screen("columns", scope: .room, page: "columns.html") { _ in ColumnsViewModel() }
      application.screen("stock", scope: .room, page: "stock.html") { _ in StockViewModel() }
      AccountScreens.add(to: &application)
      DeskScreens.add(to: &application)
      DiaryScreens.add(to: &application)
      try FileRoutes.add(to: &application)
      FileScreens.add(to: &application)
    }
  }
}

/// A text whose ViewModel upper-cases typing.
private final class CapitalsView: View {
  private let text = TextField("text")
  private let label = Label("label")
  private let disposeBag = DisposeBag()

  override func viewDidLoad() {
    let capitals = text.rx.text.orEmpty.skip(1).map { $0.uppercased() }.share()
    capitals.bind(to: text.rx.text).disposed(by: disposeBag)
    capitals.bind(to: label.rx.text).disposed(by: disposeBag)
  }
}

/// A text with a spell-checker that takes 700 ms.
private final class SpellingView: View {
  private let text = TextField("text")
  private let label = Label("label")
  private let clock: any SchedulerType
  private let disposeBag = DisposeBag()

  init(clock: any SchedulerType) { self.clock = clock }

  override func viewDidLoad() {
    text.rx.text.orEmpty.skip(1).delay(.milliseconds(700), scheduler: clock)
      .map { text in
        Answer(
          text.split(separator: "teh", omittingEmptySubsequences: false).joined(separator: "the"), to: text)
      }
      .do(onNext: { [label] answer in label.text = answer.element })
      .bind(to: text.rx.answer).disposed(by: disposeBag)
  }
}

/// Controls that several people set: by themselves, and in the rows of a list.
private final class ControlsViewModel {
  /// A row of the list.
  struct Row: Identifiable, Codable, Equatable {
    let id: Int
    var size: String
  }

  /// A control of a row that was set.
  struct Mark: Decodable {
    let id: Int
    let value: String
  }

  struct Inputs: Decodable {
    var course: Signal<String> = .never()
    var volume: Signal<Int> = .never()
    var day: Signal<String> = .never()
    var travellers: Signal<Int> = .never()
    var agreed: Signal<Bool> = .never()
    var size: Signal<Mark> = .never()
    var draft: Signal<String> = .never()
    var said: Signal<String> = .never()
    var wish: Signal<String> = .never()
    var send: Signal<Void> = .never()
    var press: Signal<Void> = .never()
  }

  struct Outputs: Encodable {
    let course: Driver<String>
    let volume: Driver<Int>
    let day: Driver<String>
    /// At most 9.
    let travellers: Driver<Int>
    /// Never.
    let agreed: Driver<Bool>
    let rows: Driver<[Row]>
    let draft: Driver<String>
    let said: Driver<String>
    let wishLength: Driver<Int>
    let sent: Driver<String>
    let presses: Driver<Int>
  }

  private let disposeBag = DisposeBag()

  func bind(_ inputs: Inputs) -> Outputs {
    let draft = BehaviorRelay(value: "")
    let volume = BehaviorRelay(value: 10)
    let rows = BehaviorRelay(value: [Row(id: 1, size: "small"), Row(id: 2, size: "small")])
    let sent = BehaviorRelay(value: "nothing")
    let presses = BehaviorRelay(value: 0)
    inputs.draft.emit(to: draft).disposed(by: disposeBag)
    inputs.volume.emit(to: volume).disposed(by: disposeBag)
    inputs.size.emit(onNext: { mark in
      rows.accept(rows.value.map { $0.id == mark.id ? Row(id: mark.id, size: mark.value) : $0 })
    }).disposed(by: disposeBag)
    inputs.send.emit(onNext: { sent.accept(draft.value) }).disposed(by: disposeBag)
    inputs.press.emit(onNext: { presses.accept(presses.value + 1) }).disposed(by: disposeBag)
    return Outputs(
      course: inputs.course.asDriver(onErrorJustReturn: "").startWith("taster"), volume: volume.asDriver(),
      day: inputs.day.asDriver(onErrorJustReturn: "").startWith("2030-01-01"),
      travellers: inputs.travellers.map { min($0, 9) }.asDriver(onErrorJustReturn: 0).startWith(9),
      agreed: inputs.agreed.map { _ in false }.asDriver(onErrorJustReturn: false).startWith(false),
      rows: rows.asDriver(),
      draft: draft.asDriver(), said: inputs.said.asDriver(onErrorJustReturn: "").startWith(""),
      wishLength: inputs.wish.map(\.count).asDriver(onErrorJustReturn: 0).startWith(0),
      sent: sent.asDriver(), presses: presses.asDriver())
  }
}

extension ControlsViewModel: InputOutputViewModel {}
