// SPDX-License-Identifier: Apache-2.0

/// A ViewModel that turns what the page sends into what the page shows.
///
/// The names of the two structs' properties are the names in the page. A ViewModel needs `MusubiRx` alone; the layer that
/// knows Musubi declares the conformance:
///
/// ```swift
/// // In the model layer
/// public final class GreetingViewModel {
///   public struct Inputs: Decodable { public var name: Signal<String> = .never() }
///   public struct Outputs: Encodable { public let greeting: Driver<String> }
///
///   public func bind(_ inputs: Inputs) -> Outputs {
///     Outputs(greeting: inputs.name.map { "Hello, \($0)!" }.asDriver(onErrorJustReturn: ""))
///   }
/// }
///
/// // In the view layer
/// extension GreetingViewModel: InputOutputViewModel {}
/// application.screen("greeting", page: "greeting.html") { _ in GreetingViewModel() }
/// ```
///
/// Inputs are `Signal`, `Driver` or `ControlEvent` of `Void` (a tap) or of anything decodable. A `Driver` output is
/// state: kept, and shown to pages that come later; of ViewModels with an `id` it is a list whose rows have inputs of their
/// own. A `Signal` output is an event: each page gets it once. A nested struct's names are joined: `form` and `title` make
/// `formTitle`. Inputs called `viewDidLoad`, `viewDidAppear` and `viewDidDisappear` fire by themselves.
public protocol InputOutputViewModel: AnyObject {
  /// The page's inputs; every property is a stream.
  associatedtype Inputs: Decodable
  /// The page's outputs; every property is a stream.
  associatedtype Outputs: Encodable
  /// What a page shows for its visitor alone; none if left out.
  associatedtype PersonalOutputs: Encodable = Never

  /// Turns inputs into outputs; called once for each instance.
  ///
  /// - Parameter inputs: What the page sends.
  /// - Returns: What the page shows.
  func bind(_ inputs: Inputs) -> Outputs

  /// Who may send the inputs that not everybody may send; none if left out.
  static var rules: [InputRule<Inputs>] { get }

  /// The roles that a visitor has on this screen, besides those everywhere; asked again after each turn.
  ///
  /// - Parameter visitor: Whose page shows the screen.
  /// - Returns: The roles; none if left out.
  func roles(of visitor: Visitor) -> Set<Role>

  /// The values that one visitor's pages show in the place of the outputs of the same names; asked again after each turn.
  ///
  /// All pages of a room get the same turns. A value that others must not see is in no output, but here:
  ///
  /// ```swift
  /// struct PersonalOutputs: Encodable { let hand: [Card] }
  ///
  /// func personalOutputs(for visitor: Visitor) -> PersonalOutputs? {
  ///   visitor.id.flatMap { game.hands[$0] }.map { PersonalOutputs(hand: $0) }
  /// }
  /// ```
  ///
  /// A list keeps the ids of its rows, by which inputs name them. No two-way text is among them.
  ///
  /// - Parameter visitor: Whose page shows the screen.
  /// - Returns: An object whose members are named as outputs; nil if the visitor sees what everybody sees.
  func personalOutputs(for visitor: Visitor) -> PersonalOutputs?
}

extension InputOutputViewModel {
  /// Everybody may send every input.
  public static var rules: [InputRule<Inputs>] { [] }

  /// Nobody has other roles here than everywhere.
  ///
  /// - Parameter visitor: Whose page shows the screen.
  /// - Returns: None.
  public func roles(of visitor: Visitor) -> Set<Role> { [] }
}

extension InputOutputViewModel where PersonalOutputs == Never {
  /// Everybody sees the same.
  ///
  /// - Parameter visitor: Whose page shows the screen.
  /// - Returns: Nothing.
  public func personalOutputs(for visitor: Visitor) -> Never? { nil }
}
