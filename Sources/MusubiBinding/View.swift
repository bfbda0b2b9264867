// SPDX-License-Identifier: Apache-2.0
public import MusubiRx

/// The View of a screen: outlets that stand for elements of the page, and the bindings between them and a ViewModel.
///
/// Subclass it, declare the outlets as properties, and bind in `viewDidLoad`, as on iOS:
///
/// ```swift
/// final class GreetingView: View {
///   let name = TextField("name")
///   let greeting = Label("greeting")
///   private let disposeBag = DisposeBag()
///
///   override func viewDidLoad() {
///     name.rx.text.orEmpty.map { "Hello, \($0)!" }.bind(to: greeting.rx.text).disposed(by: disposeBag)
///   }
/// }
/// ```
///
/// A View lives on the loop of its room and is called there only.
open class View: ScreenContent, ReactiveCompatible {
  private let board = ScreenBuilder.active?.board

  /// A View without outlets of its own; a subclass adds them as properties.
  public init() {}

  /// Shows another screen on top of this one, in the page that caused it; the visitor comes back by going back.
  ///
  /// - Parameter view: Makes the View, of a type that a route of the application shows; it sets the View's ViewModel.
  public final func present<Next: View>(_ view: @escaping () -> Next) {
    board?.request(.present(Presentation(view)))
  }

  /// Asks the visitor something: the page opens its `<dialog data-dialog="name">`.
  ///
  /// - Parameter name: The dialog's name in the page; its answer is an ordinary input.
  public final func ask(_ name: String) { board?.request(.ask(name: name, value: nil)) }

  /// Called once, when the screen has been made: bind here.
  open func viewDidLoad() {}

  /// Called for each page that begins to show the screen.
  open func viewDidAppear() {}

  /// Called for each page that no longer shows the screen.
  open func viewDidDisappear() {}

  /// Called when a page is connected, or no longer is: for screens that tell who is present.
  ///
  /// A page that loses its connection may come back; `viewDidDisappear` is called once that is no longer possible.
  ///
  /// - Parameters:
  ///   - page: The page's number in the room, the same for as long as its session lasts, also over a reload.
  ///   - isConnected: Whether it is connected now.
  open func connectionDidChange(ofPage page: Int, isConnected: Bool) {}

  /// Who may send the inputs that not everybody may send, and which files they take; none unless overridden.
  ///
  /// ```swift
  /// override class var rules: [InputRule<View>] { [.allow("next", for: .role("host"))] }
  /// ```
  open class var rules: [InputRule<View>] { [] }

  /// The roles that a visitor has on this screen, besides those everywhere; asked again after each turn.
  ///
  /// - Parameter visitor: Whose page shows the screen.
  /// - Returns: The roles; none unless overridden.
  open func roles(of visitor: Visitor) -> Set<Role> { [] }

  package func rules(of inputs: [ScreenSchema.Input]) throws -> InputRules {
    try InputRule.all(by: Self.rules, of: inputs, screen: "\(Self.self)")
  }

  package func start() { viewDidLoad() }
  package func load() {}
  package func appear() { viewDidAppear() }
  package func disappear() { viewDidDisappear() }
}

extension Reactive where Base: View {
  /// The text of one of the View's labels, by its key path: `outputs.title.drive(rx[\.title])`.
  ///
  /// - Parameter label: Which label.
  public subscript(label: KeyPath<Base, Label>) -> Binder<String?> { base[keyPath: label].rx.text }
}
