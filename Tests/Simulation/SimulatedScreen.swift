// SPDX-License-Identifier: Apache-2.0
import Dispatch
import MusubiBinding
import MusubiRx

/// The ViewModels of the simulation: what they make of a text.
package enum SimulatedScreen: String, CaseIterable, Sendable {
  /// Shows the text as it is.
  case keep
  /// Replaces every character by another of the same length, as upper-casing does.
  case capitals
  /// Replaces some characters by two.
  case swell
  /// Takes soft characters off both ends.
  case trim
  /// Takes all soft characters out.
  case strict
  /// Sets another text when the button is pressed.
  case draw
  /// As `capitals`, but some time after the last key.
  case late
  /// As `capitals`, but some time after each key, and it says which text it answers.
  case answer
  /// As `capitals`, of an `@Observable` model; schedules with certain seeds have it.
  case model

  /// Those that schedules choose from.
  package static let drawn = allCases.filter { $0 != .model }

  /// The screen's route.
  ///
  /// - Parameter fault: A mistake that is to be found.
  /// - Returns: The route.
  func route(fault: Fault?) -> ScreenRoute {
    ScreenRoute(name: rawValue, scope: .room) { context in
      if self == .model { return ObservableScreen(SimulatedModel(), name: rawValue) }
      return SimulatedView(self, random: context.random, fault: fault)
    }
  }

  /// What this ViewModel makes of a text.
  func rewrite(_ text: String) -> String {
    switch self {
    case .keep, .draw: text
    case .capitals, .late, .answer, .model:
      String(String.UnicodeScalarView(text.unicodeScalars.map(Typed.capital)))
    case .swell:
      String(
        String.UnicodeScalarView(
          text.unicodeScalars.flatMap { Typed.isSoft($0) ? [Typed.capital($0), Typed.companion($0)] : [$0] }))
    case .strict: String(String.UnicodeScalarView(text.unicodeScalars.filter { !Typed.isSoft($0) }))
    case .trim:
      String(
        String.UnicodeScalarView(
          text.unicodeScalars.drop(while: Typed.isSoft).reversed().drop(while: Typed.isSoft).reversed()))
    }
  }

  /// Whether each unit of the text stands for one that was typed, so that it goes when a person deletes that.
  ///
  /// `swell` puts two in the place of one: that is a text of its own to everybody else, and stays as what people type.
  var keepsPlaces: Bool {
    switch self {
    case .keep, .capitals, .trim, .strict, .answer, .model: true
    case .swell, .draw, .late: false
    }
  }

  /// How often a character that was typed, and that no person deleted, may be there in the end.
  func survivals(of number: Int) -> ClosedRange<Int> {
    switch self {
    case .keep, .capitals, .answer, .model: 1...1
    case .trim: Typed.isSoft(Typed.scalar(number)) ? 0...1 : 1...1
    case .strict: Typed.isSoft(Typed.scalar(number)) ? 0...0 : 1...1
    case .swell: Typed.isSoft(Typed.scalar(number)) ? 0...1 : 1...1
    case .draw, .late: 0...1
    }
  }
}

/// The characters that are typed: each has a number and is typed once.
enum Typed {
  /// The character of a number; every fifth is a surrogate pair.
  static func scalar(_ number: Int) -> Unicode.Scalar {
    Unicode.Scalar(UInt32((number % 5 == 4 ? 0x20000 : 0x3400) + number)) ?? "?"
  }

  /// The text of some numbers.
  static func text(_ numbers: Range<Int>) -> String {
    String(String.UnicodeScalarView(numbers.map(scalar)))
  }

  /// The number of a character or of its capital; nil if nobody typed it.
  static func number(_ scalar: Unicode.Scalar) -> Int? {
    switch scalar.value {
    case 0x3400..<0x4400: Int(scalar.value - 0x3400)
    case 0x4E00..<0x5E00: Int(scalar.value - 0x4E00)
    case 0x20000..<0x21000: Int(scalar.value - 0x20000)
    case 0x21000..<0x22000: Int(scalar.value - 0x21000)
    default: nil
    }
  }

  /// Another character of the same length.
  static func capital(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x3400..<0x4400: Unicode.Scalar(scalar.value - 0x3400 + 0x4E00) ?? "?"
    case 0x20000..<0x21000: Unicode.Scalar(scalar.value + 0x1000) ?? "?"
    default: scalar
    }
  }

  /// What `swell` puts behind it: unique, too, since of equal characters nobody can tell which of them was meant when a
  /// page compares its text with a snapshot.
  static func companion(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    Unicode.Scalar(0x6000 + UInt32(number(scalar) ?? 0)) ?? scalar
  }

  /// Whether some ViewModels do away with it.
  static func isSoft(_ scalar: Unicode.Scalar) -> Bool {
    capital(scalar) != scalar && (number(scalar) ?? 1) % 3 == 0
  }
}

/// A text field, a label that shows what the ViewModel made of it, and a button.
private final class SimulatedView: View {
  private let field = TextField("text")
  private let label = Label("label")
  private let button = Button("draw")
  private let screen: SimulatedScreen
  private let random: RandomSource
  private let fault: Fault?
  private var newest = ""
  private let bag = DisposeBag()

  init(_ screen: SimulatedScreen, random: RandomSource, fault: Fault?) {
    self.screen = screen
    self.random = random
    self.fault = fault
  }

  override func viewDidLoad() {
    let typed = field.rx.text.orEmpty.skip(1)
    guard screen != .answer else {
      typed.subscribe(onNext: { [unowned self] text in newest = text }).disposed(by: bag)
      typed.delay(.milliseconds(400), scheduler: MainScheduler.instance)
        .map { [unowned self] text in
          Answer(screen.rewrite(text), to: fault == .answersTheNewest ? newest : text)
        }
        .do(onNext: { [unowned self] answer in label.text = answer.element })
        .bind(to: field.rx.answer).disposed(by: bag)
      return
    }
    let made =
      screen == .late
      ? typed.debounce(.milliseconds(400), scheduler: MainScheduler.instance) : typed.asObservable()
    made.map { [screen] in screen.rewrite($0) }
      .subscribe(onNext: { [unowned self] text in show(text) }).disposed(by: bag)
    button.rx.tap
      .subscribe(onNext: { [unowned self] in if screen == .draw { show("\(random.next() % 100)") } })
      .disposed(by: bag)
  }

  private func show(_ text: String) {
    label.text = text
    field.text = text
  }
}
