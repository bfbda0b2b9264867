// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiSession
import MusubiTesting

/// Ends its server wherever it is asked to; the request survives.
final class TrapView: View, Restorable {
  struct State: Codable {
    var taps = 0
    var text = ""
    var rows = [Row(id: 7, title: "row")]
    /// Where it ends its server from now on.
    var place = ""
  }

  struct Row: Codable, Equatable, Identifiable {
    let id: Int
    var title: String
  }

  private let sum = Label("sum")
  private let tap = Button("tap")
  private let deadly = Button("deadly")
  private let later = Button("later")
  private let next = Button("next")
  private let share = Button("share")
  private let field = TextField("text")
  private let rows = List<Row>("rows")
  private let arming = ["join", "timer", "restore", "output"].map { ($0, Button($0)) }
  private let store: SimulatedStore
  private let clock: any SchedulerType
  private let shared: TrapModel
  private var memory: State
  private let bag = DisposeBag()

  init(_ context: ScreenContext, _ store: SimulatedStore, _ shared: TrapModel) throws {
    let restored: State? = try context.restored()
    memory = restored ?? State()
    self.store = store
    self.shared = shared
    clock = context.clock
    super.init()
    if restored?.place == "restore" { store.trap() }
  }

  var state: State {
    if memory.place == "output" { store.trap() }
    return memory
  }

  override func viewDidLoad() {
    sum.text = "\(memory.taps)"
    tap.onTap = { [unowned self] in
      memory.taps += 1
      sum.text = "\(memory.taps)"
    }
    deadly.onTap = { [store] in store.trap() }
    later.onTap = { [unowned self] in trapLater() }
    next.onTap = { [unowned self, store] in present { SecondTrapView(store) } }
    share.onTap = { [shared] in shared.calls.accept(()) }
    for (place, button) in arming { button.onTap = { [unowned self] in memory.place = place } }
    field.onChange = { [unowned self] text in
      if text.contains("!") { store.trap() }
      memory.text = text
    }
    rows.items = memory.rows
    rows.onText("title") { [unowned self] (_: Int, text) in
      if text.contains("!") { store.trap() }
      memory.rows[0].title = text
      rows.items = memory.rows
    }
    if memory.place == "timer" { trapLater() }
  }

  override func viewDidAppear() { if memory.place == "join" { store.trap() } }

  private func trapLater() {
    clock.scheduleRelative((), dueTime: .milliseconds(50)) { [store] in
      store.trap()
      return Disposables.create()
    }.disposed(by: bag)
  }
}

/// What the screens share.
///
/// `@unchecked Sendable`: the simulation has one thread.
final class TrapModel: @unchecked Sendable {
  let calls = PublishRelay<Void>()
}

/// Ends its server when it is shown.
final class SecondTrapView: View, Restorable {
  private let store: SimulatedStore?
  let state = 0
  private let label = Label("label")

  init(_ store: SimulatedStore?) { self.store = store }

  override func viewDidAppear() { store?.trap() }
}

/// Ends its server when somebody else's screen says so.
final class ListeningTrapView: View, Restorable {
  private let label = Label("label")
  let state = 0
  private let bag = DisposeBag()
  private let store: SimulatedStore
  private let shared: TrapModel

  init(_ store: SimulatedStore, _ shared: TrapModel) {
    self.store = store
    self.shared = shared
  }

  override func viewDidLoad() {
    shared.calls.subscribe(onNext: { [store] in store.trap() }).disposed(by: bag)
  }
}

extension ScreenRoute {
  /// The screens that end their server.
  static func traps(_ store: SimulatedStore, scope: Scope = .session) -> [ScreenRoute] {
    let shared = TrapModel()
    return [
      ScreenRoute(name: "trap", scope: scope) { try TrapView($0, store, shared) },
      ScreenRoute(name: "second", scope: .session, type: ObjectIdentifier(SecondTrapView.self)) { _ in
        SecondTrapView(nil)
      },
      ScreenRoute(name: "listening", scope: .room) { _ in
        ListeningTrapView(store, shared)
      },
    ]
  }
}
