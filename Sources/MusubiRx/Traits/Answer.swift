// SPDX-License-Identifier: Apache-2.0

/// An element that says which earlier one it answers.
///
/// For a ViewModel that takes its time: the field keeps text that a person has typed between question and
/// answer.
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
/// Without it a late element counts as an answer to the newest text, and takes away later typing.
public struct Answer<Element> {
  /// The element itself.
  public let element: Element
  /// The element that it answers.
  public let question: Element

  /// An element and its question.
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
