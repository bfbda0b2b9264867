// SPDX-License-Identifier: Apache-2.0
public import MusubiRx

/// A value that a page has sent, and who sent it.
///
/// The sender is part of the value, so that it is still right after a `debounce`, a `flatMap` or an `await`, when
/// `context.visitor` is somebody else:
///
/// ```swift
/// struct Inputs: Decodable {
///   var say: Signal<Sent<String>> = .never()
///   var leave: Signal<Sent<Void>> = .never()
/// }
/// let lines = inputs.say.map { "\($0.sender.id ?? "somebody"): \($0.value)" }
/// ```
///
/// An outlet's events have it by `withSender`. In a unit test the sender is whoever the test says.
public struct Sent<Element> {
  /// The value as it was sent.
  public let value: Element
  /// Whose page sent it, as the newest handshake told.
  public let sender: Visitor

  /// A value of a sender; tests make their own.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - sender: Who sent it.
  public init(_ value: Element, by sender: Visitor) {
    self.value = value
    self.sender = sender
  }
}

extension Sent where Element == Void {
  /// A tap of a sender.
  ///
  /// - Parameter sender: Who sent it.
  public init(by sender: Visitor) { self.init((), by: sender) }
}

extension Sent: Equatable where Element: Equatable {}
extension Sent: Sendable where Element: Sendable {}

extension ControlEvent {
  /// The same events, each with who caused it.
  ///
  /// ```swift
  /// buzzer.rx.tap.withSender.map(\.sender).bind(to: viewModel.buzzed).disposed(by: disposeBag)
  /// ```
  public var withSender: ControlEvent<Sent<PropertyType>> {
    ControlEvent<Sent<PropertyType>>(events: asObservable().map { Sent($0, by: .acting) })
  }
}

extension Visitor {
  /// Stands for whoever acts in a test of a screen; nil on a server.
  @TaskLocal package static var ofTest: Visitor?

  /// Whose input is being handled on this thread; anonymous if nobody's is.
  static var acting: Visitor {
    ofTest ?? (LoopContext.current as? any VisitorSource)?.currentVisitor ?? .anonymous
  }
}

/// `Sent` of any type, for the declaration of an input.
protocol SentValue {
  /// The stream of the input's values, each with its sender; nil if the stream is to be of another type.
  static func stream<Stream>(
    _ path: [any CodingKey], of declaration: StreamDeclaration, as type: Observable<Stream>.Type
  ) throws -> Observable<Stream>?
}

extension Sent: SentValue {
  static func stream<Stream>(
    _ path: [any CodingKey], of declaration: StreamDeclaration, as type: Observable<Stream>.Type
  ) throws -> Observable<Stream>? {
    let values = try declaration.input(path, of: Element.self)
    let stream: Observable<Sent<Element>> = values.map { Sent($0, by: .acting) }
    return stream as? Observable<Stream>
  }
}
