// SPDX-License-Identifier: Apache-2.0

/// An element that says which earlier one it answers.
///
/// For a ViewModel that takes its time: what a person has typed since the question is kept when the answer comes.
///
/// ```swift
/// struct Inputs: Decodable { var text: Signal<String> = .never() }
/// struct Outputs: Encodable { let text: Driver<Answer<String>> }
///
/// func bind(_ inputs: Inputs) -> Outputs {
///   let spelled = inputs.text.asObservable()
///     .flatMap { [checker] text in checker.correct(text).map { Answer($0, to: text) } }
///   return Outputs(text: spelled.asDriver(onErrorDriveWith: .empty()))
/// }
/// ```
///
/// Without it a late element counts as an answer to the newest text, and takes away what was typed meanwhile.
public struct Answer<Element> {
  /// The element itself.
  public let element: Element
  /// What it answers.
  public let question: Element

  /// An element and what it answers.
  ///
  /// - Parameters:
  ///   - element: The element.
  ///   - question: The earlier element, as it came in.
  public init(_ element: Element, to question: Element) {
    self.element = element
    self.question = question
  }
}

extension Answer: Equatable where Element: Equatable {}
extension Answer: Sendable where Element: Sendable {}

extension Answer: Encodable where Element: Encodable {
  /// Encodes the element alone: the question stays between the ViewModel and the text.
  public func encode(to encoder: any Encoder) throws { try element.encode(to: encoder) }
}
