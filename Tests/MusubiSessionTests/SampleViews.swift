// SPDX-License-Identifier: Apache-2.0
import Dispatch
import MusubiBinding
import MusubiRx
import MusubiSession

/// A two-way number with a button, as in the gallery, with a button that counts instead of dice.
final class NumberView: View {
  private let label = Label("label")
  private let field = TextField("number")
  private let button = Button("roll")
  private let number = BehaviorRelay(value: "0")
  private var taps = 0
  private let bag = DisposeBag()

  override func viewDidLoad() {
    bag.insert(
      number.bind(to: label.rx.text),
      number.bind(to: field.rx.text),
      field.rx.text.orEmpty.filter { !$0.isEmpty }.bind(to: number),
      button.rx.tap.subscribe(onNext: { [unowned self] in
        taps += 1
        number.accept("\(taps)")
      }))
  }
}

/// Gives typing back in capitals.
final class CapitalsView: View {
  private let field = TextField("text")
  private let bag = DisposeBag()

  override func viewDidLoad() {
    field.rx.text.orEmpty.skip(1).map { $0.uppercased() }.bind(to: field.rx.text).disposed(by: bag)
  }
}

/// Puts a zero for an empty text, and shows its input.
final class ZeroView: View {
  private let field = TextField("text")
  private let label = Label("given")
  private let bag = DisposeBag()

  override func viewDidLoad() {
    let typed = field.rx.text.orEmpty.skip(1)
    typed.scan("") { "\($0)<\($1)>" }.bind(to: label.rx.text).disposed(by: bag)
    typed.map { $0.isEmpty ? "0" : $0 }.bind(to: field.rx.text).disposed(by: bag)
  }
}

/// Shows the last text, a second after the last key.
final class PatientView: View {
  private let field = TextField("text")
  private let label = Label("label")
  private let bag = DisposeBag()

  override func viewDidLoad() {
    field.rx.text.orEmpty.debounce(.seconds(1), scheduler: MainScheduler.instance)
      .bind(to: label.rx.text).disposed(by: bag)
  }
}

/// Shows how many pages it has.
final class PresenceView: View {
  private let label = Label("pages")
  private var pages = 0

  override func viewDidAppear() { show(1) }

  override func viewDidDisappear() { show(-1) }

  private func show(_ change: Int) {
    pages += change
    label.text = "\(pages)"
  }
}

extension ScreenRoute {
  static var number: ScreenRoute { ScreenRoute(name: "number", scope: .room) { _ in NumberView() } }
  static var alone: ScreenRoute { ScreenRoute(name: "alone", scope: .session) { _ in NumberView() } }
  static var zero: ScreenRoute { ScreenRoute(name: "zero", scope: .room) { _ in ZeroView() } }
  static var capitals: ScreenRoute { ScreenRoute(name: "capitals", scope: .room) { _ in CapitalsView() } }
  static var patient: ScreenRoute { ScreenRoute(name: "patient", scope: .room) { _ in PatientView() } }
  static var presence: ScreenRoute { ScreenRoute(name: "presence", scope: .room) { _ in PresenceView() } }
}

/// Shows ever more, 10,000 bytes at a time.
final class HoardView: View, Restorable {
  var state: String { label.text ?? "" }
  private let label = Label("label")
  private let add = Button("add")
  private let clear = Button("clear")

  override func viewDidLoad() {
    label.text = ""
    add.onTap = { [unowned self] in label.text = (label.text ?? "") + String(repeating: "x", count: 10_000) }
    clear.onTap = { [unowned self] in label.text = "" }
  }
}

extension ScreenRoute {
  static let hoard = ScreenRoute(name: "hoard", scope: .session) { _ in HoardView() }
}
