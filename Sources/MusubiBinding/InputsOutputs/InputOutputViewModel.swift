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
/// state: kept, and shown to pages that come later. A `Signal` output is an event: each page gets it once. A nested
/// struct's names are joined: `form` and `title` make `formTitle`. Inputs called `viewDidLoad`, `viewDidAppear` and
/// `viewDidDisappear` fire by themselves.
public protocol InputOutputViewModel: AnyObject {
  /// What the page sends; every property is a stream.
  associatedtype Inputs: Decodable
  /// What the page shows; every property is a stream.
  associatedtype Outputs: Encodable

  /// Turns inputs into outputs; called once for each instance.
  ///
  /// - Parameter inputs: What the page sends.
  /// - Returns: What the page shows.
  func bind(_ inputs: Inputs) -> Outputs
}
