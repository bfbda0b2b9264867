// SPDX-License-Identifier: Apache-2.0
import MusubiRx

/// Says who may send an input; the rules of a screen stand beside its names.
///
/// What is not allowed never reaches the ViewModel, whatever a page sends. Pages show it: the elements of a forbidden
/// input cannot be used, and have `data-forbidden`.
///
/// ```swift
/// extension QuizViewModel: InputOutputViewModel {
///   static var rules: [InputRule<Inputs>] {
///     [.allow(\.next, for: .role("host")), .allow(\.answer, for: .signedIn)]
///   }
/// }
/// ```
///
/// An input without a rule is everybody's. Of several rules about one input each allows it.
public struct InputRule<Inputs> {
  private enum Target {
    case name(String)
    case property((Inputs) -> Any)
  }

  private let target: Target
  private let permission: Permission

  /// An input that not everybody may send.
  ///
  /// - Parameters:
  ///   - input: The property of the input, or a nested struct whose inputs are all meant.
  ///   - permission: Who may.
  /// - Returns: The rule.
  public static func allow<Property>(
    _ input: KeyPath<Inputs, Property>, for permission: Permission
  ) -> InputRule {
    InputRule(target: .property { $0[keyPath: input] }, permission: permission)
  }
}

extension InputRule {
  /// A rule about the input of a name.
  init(input: String, permission: Permission) { self.init(target: .name(input), permission: permission) }

  /// The same about a name behind a prefix.
  func behind(_ prefix: String) -> InputRule<Any> {
    switch target {
    case .name(let name):
      InputRule<Any>(input: StreamDeclaration.joined(prefix, name), permission: permission)
    // Of no input, which is refused.
    case .property: InputRule<Any>(target: .property { _ in () }, permission: permission)
    }
  }
}

extension InputRule where Inputs == View {
  /// An outlet's input that not everybody may send.
  ///
  /// - Parameters:
  ///   - input: The name of the outlet, or of a row's input.
  ///   - permission: Who may.
  /// - Returns: The rule.
  public static func allow(_ input: String, for permission: Permission) -> InputRule {
    InputRule(input: input, permission: permission)
  }
}

extension InputRule {
  /// The permissions by the names of inputs.
  ///
  /// - Parameters:
  ///   - rules: The rules.
  ///   - names: The names of all inputs.
  ///   - screen: The screen's name, for the error.
  ///   - inputs: Makes inputs whose streams tell their names to a collector; nil where rules say names.
  /// - Returns: The permissions of those that have a rule.
  /// - Throws: `SchemaError` if a rule is about something that is no input.
  static func permissions(
    by rules: [InputRule], names: [String], screen: String, inputs: ((InputNames) throws -> Inputs)? = nil
  ) throws -> [String: Permission] {
    guard !rules.isEmpty else { return [:] }
    let collector = InputNames()
    let properties = try inputs?(collector)
    var permissions: [String: Permission] = [:]
    for rule in rules {
      let found =
        switch rule.target {
        case .name(let name): [name]
        case .property(let property): try properties.map { try collector.names(in: property($0)) } ?? []
        }
      guard !found.isEmpty, found.allSatisfy(names.contains) else {
        let what = found.first.map { "\"\($0)\"" } ?? "a property that no page sends"
        throw SchemaError(
          screen: screen,
          problem: "a rule is about \(what), which is none of its inputs: \(names.joined(separator: ", ")).")
      }
      for name in found {
        permissions[name] = permissions[name]?.union(rule.permission) ?? rule.permission
      }
    }
    return permissions
  }
}

/// Finds the names of streams: each tells its own when somebody subscribes to it.
final class InputNames: InputStreams {
  private var names: Set<String> = []

  func input<Element>(_ path: [any CodingKey], of type: Element.Type) -> Observable<Element> {
    // The events of a screen's life are not sent by pages, whatever a rule says about the whole component.
    if path.count > 1, let own = path.last, Lifecycle().events(named: own.stringValue) != nil {
      return .never()
    }
    let name = StreamDeclaration.name(of: path)
    return Observable.create { [self] _ in
      names.insert(name)
      return Disposables.create()
    }
  }

  /// The names of the streams in a property, which is one or has some.
  ///
  /// - Throws: What a stream throws that refuses to be encoded.
  func names(in property: Any) throws -> [String] {
    names = []
    try touch(property)
    return names.sorted()
  }

  private func touch(_ value: Any) throws {
    if let stream = value as? any LiveStream { return try stream.encode(to: Subscriber()) }
    for child in Mirror(reflecting: value).children { try touch(child.value) }
  }

  /// Takes a stream as an output is taken, and subscribes to it.
  private struct Subscriber: StreamEncoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func collect<Element>(_ stream: Observable<Element>, kind: StreamKind) {
      stream.subscribe(onNext: { _ in }).dispose()
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
      OutputsEncoder.refusal(at: codingPath).container(keyedBy: type)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
      OutputsEncoder.refusal(at: codingPath).unkeyedContainer()
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
      OutputsEncoder.refusal(at: codingPath).singleValueContainer()
    }
  }
}
