// SPDX-License-Identifier: Apache-2.0
import Glibc
import Musubi

/// Counts taps, and traps where it is asked to; both survive.
final class TrappingView: View, Restorable {
  struct State: Codable {
    var taps = 0
    var rows = [Row(id: 7, title: "row")]
    /// Where it traps from now on.
    var place = ""
  }

  struct Row: Codable, Equatable, Identifiable {
    let id: Int
    var title: String
  }

  private let label = Label("label")
  private let tap = Button("tap")
  private let deadly = Button("deadly")
  private let abort = Button("abort")
  private let overflow = Button("overflow")
  private let field = TextField("text")
  private let rows = List<Row>("rows")
  private let later = Button("later")
  private let ask = Button("ask")
  private let places = ["join", "timer", "answer", "restore", "output"].map { ($0, Button($0)) }
  private let clock: any SchedulerType
  private let bag = DisposeBag()
  private var memory: State

  init(_ context: ScreenContext) throws {
    let restored: State? = try context.restored()
    memory = restored ?? State()
    clock = context.clock
    super.init()
    if restored?.place == "restore" { Self.trap() }
  }

  var state: State {
    if memory.place == "output" { Self.trap() }
    return memory
  }

  override func viewDidLoad() {
    label.text = "\(memory.taps)"
    tap.onTap = { [unowned self] in
      memory.taps += 1
      label.text = "\(memory.taps)"
    }
    deadly.onTap = { Self.trap() }
    abort.onTap = { Glibc.abort() }
    overflow.onTap = { [unowned self] in label.text = "\(Self.depth(of: memory.taps))" }
    field.onChange = { if $0.contains("!") { Self.trap() } }
    rows.items = memory.rows
    rows.onText("title") { [unowned self] (_: Int, text) in
      if text.contains("!") { Self.trap() }
      memory.rows[0].title = text
      rows.items = memory.rows
    }
    for (place, button) in places { button.onTap = { [unowned self] in memory.place = place } }
    later.onTap = { [unowned self] in trapLater() }
    ask.onTap = { [unowned self] in trapAtAnswer() }
    if memory.place == "timer" { trapLater() }
    if memory.place == "answer" { trapAtAnswer() }
  }

  override func viewDidAppear() { if memory.place == "join" { Self.trap() } }

  private func trapLater() {
    clock.scheduleRelative((), dueTime: .milliseconds(50)) {
      Self.trap()
      return Disposables.create()
    }.disposed(by: bag)
  }

  /// The answer comes from another thread, through the loop's mailbox.
  private func trapAtAnswer() {
    Single<Void>.create { await Task.detached {}.value }.asObservable()
      .observe(on: MainScheduler.instance).subscribe(onNext: { Self.trap() }).disposed(by: bag)
  }

  private static func trap() { preconditionFailure("A screen trapped, as the test asked it to.") }

  /// Fills its thread's stack: no compiler knows that there is no end.
  private static func depth(of number: Int) -> Int {
    number < -1 ? number : 1 + depth(of: number + 1) &* 3 % 1_000_003
  }
}
