// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiWire

/// Declares the streams of a ViewModel's inputs and outputs under their names.
///
/// The cast from a stream of any type to one that the wire knows happens here, once; an event then costs a call.
final class StreamDeclaration {
  private let screen: String
  private let builder: ScreenBuilder
  private let lifecycle: Lifecycle
  private let disposeBag: DisposeBag
  private var decodedInputs: Set<String> = []

  init(screen: String, builder: ScreenBuilder, lifecycle: Lifecycle, disposeBag: DisposeBag) {
    self.screen = screen
    self.builder = builder
    self.lifecycle = lifecycle
    self.disposeBag = disposeBag
  }

  // MARK: - Inputs

  /// Makes the inputs, each property a live stream.
  func inputs<Inputs: Decodable>(_ type: Inputs.Type) throws -> Inputs {
    let inputs: Inputs
    do {
      inputs = try Inputs(from: InputsDecoder(declaration: self, codingPath: []))
    } catch let error as DecodingError {
      throw SchemaError(screen: screen, problem: Self.sentence(error, of: "input"))
    }
    // The compiler leaves a `let` with a default value out of decoding, and says no more than a warning.
    for child in Mirror(reflecting: inputs).children where child.value is any LiveStream {
      guard let label = child.label, !decodedInputs.contains(label) else { continue }
      guard decodedInputs.count < Mirror(reflecting: inputs).children.count else { break }
      throw SchemaError(
        screen: screen,
        problem: "the input \"\(label)\" is a let with a default value, which is never bound; make it a var.")
    }
    return inputs
  }

  /// The stream of one input.
  func input<Element>(_ path: [any CodingKey], of type: Element.Type) throws -> Observable<Element> {
    let name = Self.name(of: path)
    decodedInputs.insert(path.last?.stringValue ?? "")
    if let events = lifecycle.events(named: name) { return try cast(events, path) }
    let subject = PublishSubject<Element>()
    if let taps = subject as? PublishSubject<Void> {
      declare(name, .void) { _ in taps.onNext(()) }
    } else if let texts = subject as? PublishSubject<String> {
      declare(name, .string) { value in if let text = value?.stringValue { texts.onNext(text) } }
    } else if let flags = subject as? PublishSubject<Bool> {
      declare(name, .bool) { value in if let flag = value?.boolValue { flags.onNext(flag) } }
    } else if let numbers = subject as? PublishSubject<Int> {
      declare(name, .integer) { value in if let number = value?.intValue { numbers.onNext(number) } }
    } else if let numbers = subject as? PublishSubject<Double> {
      declare(name, .number) { value in if let number = value?.doubleValue { numbers.onNext(number) } }
    } else if let decodable = type as? any Decodable.Type {
      declareDecoded(name, decodable, subject)
    } else {
      throw SchemaError(
        screen: screen,
        problem: "the input \"\(name)\" has elements of type \(type), which is neither Void nor Decodable.")
    }
    return subject
  }

  private func declare(_ name: String, _ kind: InputKind, _ accept: @escaping (Value?) -> Void) {
    builder.declareInput(InputSlot(name: name, kind: kind, accept: accept))
  }

  private func declareDecoded<Element>(
    _ name: String, _ type: any Decodable.Type, _ subject: PublishSubject<Element>
  ) {
    let slot = InputSlot(name: name, kind: .value) { value throws(BindingError) in
      let element: Element
      do {
        // HTML has an empty text for a date that is none.
        let isNothing = value == "" && type is any ExpressibleByNilLiteral.Type && type != String?.self
        element = try ValueDecoder.decode(type, as: Element.self, from: isNothing ? .null : value ?? .null)
      } catch {
        let came = (value?.description ?? "nothing").prefix(80)
        throw BindingError(.wrongType, "The input \"\(name)\" takes a \(Element.self), but \(came) came.")
      }
      subject.onNext(element)
    }
    builder.declareInput(slot)
  }

  private func cast<Element>(_ stream: PublishSubject<Void>, _ path: [any CodingKey]) throws -> Observable<
    Element
  > {
    guard let stream = stream as? PublishSubject<Element> else {
      throw SchemaError(screen: screen, problem: "the input \"\(Self.name(of: path))\" must be of Void.")
    }
    return stream
  }

  // MARK: - Outputs

  /// Declares and subscribes the outputs.
  func declare(_ outputs: some Encodable) throws {
    do {
      try outputs.encode(to: OutputsEncoder(declaration: self, codingPath: []))
    } catch let error as EncodingError {
      throw SchemaError(screen: screen, problem: Self.sentence(error))
    }
  }

  /// Declares and subscribes one output.
  func output<Element>(_ path: [any CodingKey], _ stream: Observable<Element>, isState: Bool) throws {
    let name = Self.name(of: path)
    if !isState, requests(name, stream) { return }
    let value = try Self.encoding(of: Element.self, name, screen)
    if isState {
      let slot = builder.declareOutput(name)
      stream.subscribe(onNext: { element in
        if let value = value(element) { slot.write(value) }
      }).disposed(by: disposeBag)
    } else {
      builder.declareEvent(name)
      let board = builder.board
      stream.subscribe(onNext: { [weak board] element in board?.emit(name, value(element)) })
        .disposed(by: disposeBag)
    }
  }

  /// Subscribes an output that navigates or asks.
  ///
  /// - Returns: Whether the output is of that kind.
  private func requests<Element>(_ name: String, _ stream: Observable<Element>) -> Bool {
    let board = builder.board
    if Element.self is any InputOutputViewModel.Type {
      builder.declareEvent(name)
      stream.subscribe(onNext: { [weak board] element in
        guard let viewModel = element as? any InputOutputViewModel else { return }
        board?.request(.present(Self.presentation(of: viewModel)))
      }).disposed(by: disposeBag)
      return true
    }
    if Element.self is any DialogContent.Type {
      builder.declareEvent(name)
      stream.subscribe(onNext: { [weak board] element in
        guard let question = element as? any DialogContent else { return }
        do {
          board?.request(.ask(name: name, value: try ValueEncoder.encode(question)))
        } catch {
          // The author's own encode(to:) refused: the question is asked without its circumstances.
          board?.request(.ask(name: name, value: nil))
        }
      }).disposed(by: disposeBag)
      return true
    }
    return false
  }

  private static func presentation(of viewModel: some InputOutputViewModel) -> Presentation {
    Presentation(viewModel)
  }

  /// How elements become values of the wire; nil for nothing, as of a `Signal<Void>`.
  private static func encoding<Element>(
    of type: Element.Type, _ name: String, _ screen: String
  ) throws -> (Element) -> Value? {
    if let encode = ({ (text: String) in Value.string(text) } as Any) as? (Element) -> Value { return encode }
    if type == Void.self { return { _ in nil } }
    guard type is any Encodable.Type else {
      throw SchemaError(
        screen: screen,
        problem: "the output \"\(name)\" has elements of type \(type), which is neither Void nor Encodable.")
    }
    return { element in
      guard let source = element as? any Encodable else { return nil }
      do {
        return try ValueEncoder.encode(source)
      } catch {
        // The author's own encode(to:) refused: the page keeps what it shows.
        return nil
      }
    }
  }

  // MARK: - Names

  /// The name of a property: those of nested structs are joined, as in `formTitle`.
  private static func name(of path: [any CodingKey]) -> String {
    guard let first = path.first else { return "" }
    return path.dropFirst().reduce(first.stringValue) { name, key in
      name + key.stringValue.prefix(1).uppercased() + key.stringValue.dropFirst()
    }
  }

  private static func sentence(_ error: DecodingError, of role: String) -> String {
    let context: DecodingError.Context
    switch error {
    case .typeMismatch(_, let inner), .valueNotFound(_, let inner), .keyNotFound(_, let inner),
      .dataCorrupted(let inner):
      context = inner
    @unknown default: return "an \(role) cannot be bound."
    }
    return "the \(role) \"\(name(of: context.codingPath))\": \(context.debugDescription)"
  }

  private static func sentence(_ error: EncodingError) -> String {
    switch error {
    case .invalidValue(_, let context):
      return "the output \"\(name(of: context.codingPath))\": \(context.debugDescription)"
    @unknown default: return "an output cannot be bound."
    }
  }
}
