// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiText
import MusubiWire

/// Declares the streams of a ViewModel's inputs and outputs under their names.
///
/// The cast from a stream of any type to one that the wire knows happens here, once; an event then costs a call.
final class StreamDeclaration: InputStreams {
  private let screen: String
  private let builder: ScreenBuilder
  private let lifecycle: Lifecycle
  private let disposeBag: DisposeBag
  private var decodedInputs: Set<String> = []
  /// Whether some stream is in a nested struct.
  private(set) var hasNested = false

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
      inputs = try Inputs(from: InputsDecoder(streams: self, codingPath: []))
    } catch let error as DecodingError {
      throw SchemaError(screen: screen, problem: Self.sentence(error, of: "input"))
    }
    try checkForUnbound(inputs)
    return inputs
  }

  /// Finds the streams that were never asked for: the compiler leaves a `let` with a default value out of decoding, and
  /// says no more than a warning.
  private func checkForUnbound(_ inputs: some Decodable) throws(SchemaError) {
    let streams = Self.streams(in: inputs, named: "")
    // Coding keys may give other names than the properties': then only the numbers tell.
    guard streams.count > decodedInputs.count,
      let name = streams.first(where: { !decodedInputs.contains($0) })
    else { return }
    throw SchemaError(
      screen: screen,
      problem: "the input \"\(name)\" is a let with a default value, which is never bound; make it a var.")
  }

  /// The names of the streams in a struct of inputs.
  private static func streams(in value: Any, named name: String) -> [String] {
    if value is any LiveStream { return [name] }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional: return mirror.children.flatMap { streams(in: $0.value, named: name) }
    case .struct, .class:
      return mirror.children.flatMap { child in
        streams(in: child.value, named: joined(name, child.label ?? ""))
      }
    default: return []
    }
  }

  /// The stream of one input.
  func input<Element>(_ path: [any CodingKey], of type: Element.Type) throws -> Observable<Element> {
    if let sent = type as? any SentValue.Type,
      let stream = try sent.stream(path, of: self, as: Observable<Element>.self)
    {
      return stream
    }
    let name = Self.name(of: path)
    decodedInputs.insert(name)
    if path.count > 1 { hasNested = true }
    if let own = path.last, let events = lifecycle.events(named: own.stringValue) {
      return try cast(events, path)
    }
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
      builder.declareInput(.decoding(name, decodable) { subject.onNext($0) })
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
    if path.count > 1 { hasNested = true }
    if !isState, requests(name, stream) { return }
    if isState, let answers = stream as? Observable<Answer<String>> {
      let slot = builder.declareOutput(name)
      slot.expectsQuestions = true
      answers.subscribe(onNext: { slot.write(.string($0.element), answering: $0.question) })
        .disposed(by: disposeBag)
      return
    }
    if isState, let rows = Element.self as? any ViewModelRowsElement.Type {
      let components = path.indices.dropFirst().map { Self.name(of: Array(path[..<$0])) }
      guard
        let show = try rows.declare(name, in: components, screen: screen, builder, lifecycle)
          as? (Element) -> Void
      else { return }
      subscribe(stream, orReport: Self.keepsOldValue(name)) { _, element in show(element) }
      return
    }
    if isState, let rows = Element.self as? any RowsElement.Type {
      let slot = builder.declareList(name, of: rows.rowType)
      guard let write = rows.writer(into: slot) as? (Element) throws -> Void else { return }
      // Changes of rows are needed each; their output lets the rows wait.
      let waiting: Waiting = rows.isWhole ? .output(slot.index) : .never
      subscribe(stream, waiting, orReport: Self.keepsOldValue(name)) { _, element in try write(element) }
      return
    }
    if isState, let rows = Element.self as? any WindowedRows.Type {
      let (slot, output) = builder.declareWindows(name, of: rows.rowType)
      guard let write = rows.writer(into: slot, output) as? (Element) -> Void else { return }
      subscribe(stream, orReport: Self.keepsOldValue(name)) { _, element in write(element) }
      return
    }
    let value = try Self.encoding(of: Element.self, name, screen)
    if isState {
      let slot = builder.declareOutput(name)
      // A text is one already, and may be one that pages type into.
      let waiting: Waiting = Element.self == String.self ? .never : .output(slot.index)
      subscribe(stream, waiting, orReport: Self.keepsOldValue(name)) { _, element in
        if let value = try value(element, slot.value) { slot.write(value) }
      }
    } else {
      builder.declareEvent(name)
      subscribe(stream, .event, orReport: "the event \"\(name)\" was not sent") { board, element in
        board.emit(name, try value(element, nil))
      }
    }
  }

  /// What becomes of elements while nobody looks.
  private enum Waiting {
    /// They are taken all the same.
    case never
    /// The newest one is the output's in this place when somebody looks.
    case output(Int)
    /// The newest ones are told when somebody looks.
    case event
  }

  /// Subscribes an output; an element that refuses to be encoded changes nothing and is told to the log.
  private func subscribe<Element>(
    _ stream: Observable<Element>, _ waiting: Waiting = .never, orReport consequence: String,
    _ take: @escaping (OutputBoard, Element) throws -> Void
  ) {
    stream.subscribe(onNext: { [weak board = builder.board] element in
      guard let board else { return }
      switch waiting {
      case .output(let place) where board.isResting:
        board.postponeWrite(of: place, weighing: HeapSize.estimate(element)) {
          Self.take(element, take, $0, consequence)
        }
      case .event where board.isResting:
        board.postponeEvent(weighing: HeapSize.estimate(element)) {
          Self.take(element, take, $0, consequence)
        }
      case .never, .output, .event: Self.take(element, take, board, consequence)
      }
    }).disposed(by: disposeBag)
  }

  private static func take<Element>(
    _ element: Element, _ take: (OutputBoard, Element) throws -> Void, _ board: OutputBoard,
    _ consequence: String
  ) {
    do {
      try take(board, element)
    } catch {
      board.report("\(consequence): \(error)")
    }
  }

  /// Subscribes an output that navigates or asks.
  ///
  /// - Returns: Whether the output is of that kind.
  private func requests<Element>(_ name: String, _ stream: Observable<Element>) -> Bool {
    if Element.self is any InputOutputViewModel.Type || Element.self is any ObservableViewModel.Type {
      builder.declareDestination(name, of: Element.self)
      subscribe(stream, orReport: "the next screen was not shown") { board, element in
        if let viewModel = element as? any InputOutputViewModel {
          board.request(.present(Self.presentation(of: viewModel)))
        } else if let model = element as? any ObservableViewModel {
          board.request(.present(Self.presentation(of: model)))
        }
      }
      return true
    }
    if Element.self is any DialogContent.Type {
      builder.declareEvent(name)
      subscribe(stream, orReport: "the question \"\(name)\" was not asked") { board, element in
        guard let question = element as? any DialogContent else { return }
        board.request(.ask(name: name, value: try ValueEncoder.encode(question)))
      }
      return true
    }
    return false
  }

  private static func presentation(of viewModel: some InputOutputViewModel) -> Presentation {
    Presentation(viewModel)
  }

  private static func presentation(of model: some ObservableViewModel) -> Presentation { Presentation(model) }

  /// Names the type inside of arrays and optionals that makes these Encodable or not.
  private static func unencodable(in type: Any.Type) -> String {
    var inner = type
    while let wrapper = inner as? any Wrapper.Type { inner = wrapper.content }
    return inner == type ? "" : " with \(inner) in it"
  }

  private static func keepsOldValue(_ name: String) -> String { "the output \"\(name)\" keeps its old value" }

  /// How elements become values of the wire; nil for nothing, as of a `Signal<Void>`.
  private static func encoding<Element>(
    of type: Element.Type, _ name: String, _ screen: String
  ) throws -> (Element, _ old: Value?) throws -> Value? {
    if let encode = ({ (text: String) in Value.string(text) } as Any) as? (Element) -> Value {
      return { element, _ in encode(element) }
    }
    if type == Void.self { return { _, _ in nil } }
    guard type is any Encodable.Type else {
      let reason =
        type is any ViewModels.Type
        ? "rows that are ViewModels: make them Identifiable, with an id of their own that is Codable"
        : "elements of type \(type)\(unencodable(in: type)), which is neither Void nor Encodable"
      throw SchemaError(screen: screen, problem: "the output \"\(name)\" has \(reason).")
    }
    return { element, old in
      guard let element = element as? any Encodable else { return nil }
      return try ValueEncoder.encode(element, like: old)
    }
  }

  // MARK: - Names

  /// The name of a property: those of nested structs are joined, as in `formTitle`.
  static func name(of path: [any CodingKey]) -> String {
    path.reduce("") { name, key in joined(name, key.stringValue) }
  }

  /// The name of a member of something named.
  static func joined(_ name: String, _ member: String) -> String {
    name.isEmpty ? member : name + member.prefix(1).uppercased() + member.dropFirst()
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

/// A type that is Encodable if what it holds is.
private protocol Wrapper {
  static var content: Any.Type { get }
}

extension Array: Wrapper {
  fileprivate static var content: Any.Type { Element.self }
}

extension Optional: Wrapper {
  fileprivate static var content: Any.Type { Wrapped.self }
}

extension Dictionary: Wrapper {
  fileprivate static var content: Any.Type { Value.self }
}
