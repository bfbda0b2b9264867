// SPDX-License-Identifier: Apache-2.0
import MusubiRx

/// Says who may send an input, and which files it takes; the rules of a screen stand beside its names.
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
/// An input without a rule is everybody's. Of several rules about one input each allows it. An input that takes files has a rule
/// that says which.
public struct InputRule<Inputs> {
  private enum Target {
    case name(String)
    case property((Inputs) -> Any)
  }

  private enum Demand {
    case permission(Permission)
    case limit(FileLimit)
    case redaction
  }

  private let target: Target
  private let demand: Demand

  /// An input that not everybody may send.
  ///
  /// - Parameters:
  ///   - input: The property of the input, or a nested struct whose inputs are all meant.
  ///   - permission: Who may.
  /// - Returns: The rule.
  public static func allow<Property>(
    _ input: KeyPath<Inputs, Property>, for permission: Permission
  ) -> InputRule {
    InputRule(target: .property { $0[keyPath: input] }, demand: .permission(permission))
  }

  /// Which files an input takes; each input that takes files has one such rule.
  ///
  /// ```swift
  /// static var rules: [InputRule<Inputs>] { [.limit(\.photo, to: .megabytes(20), types: ["image/*"])] }
  /// ```
  ///
  /// The file's first bytes tell its type, not its name. What is larger or of another type is refused while it arrives.
  ///
  /// - Parameters:
  ///   - input: The property of the input.
  ///   - size: The largest file.
  ///   - types: The types that a file may have: `image/png`, `image/*`.
  /// - Returns: The rule.
  public static func limit<Property>(
    _ input: KeyPath<Inputs, Property>, to size: FileSize, types: [String] = ["*/*"]
  ) -> InputRule {
    InputRule(
      target: .property { $0[keyPath: input] }, demand: .limit(FileLimit(size: size, types: types)))
  }
}

extension InputRule {
  /// An input whose values no record of the server has: a password, a number of a card.
  ///
  /// With `--record` the events of such an input are left out, and so is what the screen shows under its name.
  ///
  /// ```swift
  /// static var rules: [InputRule<Inputs>] { [.redact(\.password)] }
  /// ```
  ///
  /// - Parameter input: The property of the input, or a nested struct whose inputs are all meant.
  /// - Returns: The rule.
  public static func redact<Property>(_ input: KeyPath<Inputs, Property>) -> InputRule {
    InputRule(target: .property { $0[keyPath: input] }, demand: .redaction)
  }

  /// A rule about the input of a name, whose values no record has.
  init(redactedInput input: String) { self.init(target: .name(input), demand: .redaction) }

  /// A rule about the input of a name.
  init(input: String, permission: Permission) {
    self.init(target: .name(input), demand: .permission(permission))
  }

  /// A rule about the files that the input of a name takes.
  init(input: String, limit: FileLimit) { self.init(target: .name(input), demand: .limit(limit)) }

  /// The same about a name behind a prefix.
  func behind(_ prefix: String) -> InputRule<Any> {
    let demand: InputRule<Any>.Demand =
      switch demand {
      case .permission(let permission): .permission(permission)
      case .limit(let limit): .limit(limit)
      case .redaction: .redaction
      }
    return switch target {
    case .name(let name):
      InputRule<Any>(target: .name(StreamDeclaration.joined(prefix, name)), demand: demand)
    // Of no input, which is refused.
    case .property: InputRule<Any>(target: .property { _ in () }, demand: demand)
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

  /// Which files an outlet takes; each `FileField` has one such rule.
  ///
  /// - Parameters:
  ///   - input: The name of the outlet, or of a row's input.
  ///   - size: The largest file.
  ///   - types: The types that a file may have by its first bytes: `image/png`, `image/*`.
  /// - Returns: The rule.
  public static func limit(_ input: String, to size: FileSize, types: [String] = ["*/*"]) -> InputRule {
    InputRule(input: input, limit: FileLimit(size: size, types: types))
  }

  /// An outlet's input whose values no record of the server has.
  ///
  /// - Parameter input: The name of the outlet, or of a row's input.
  /// - Returns: The rule.
  public static func redact(_ input: String) -> InputRule { InputRule(redactedInput: input) }
}

/// The rules of a screen by the names of its inputs.
package struct InputRules {
  /// Who may send the inputs that not everybody may send.
  package internal(set) var permissions: [String: Permission] = [:]
  /// Which files the inputs take that take some.
  package internal(set) var files: [String: FileLimit] = [:]
  /// The inputs whose values no record has.
  package internal(set) var redacted: Set<String> = []

  /// Rules of who may send what; without them everybody may.
  package init(permissions: [String: Permission] = [:]) { self.permissions = permissions }

  /// Has the rules of an input hold for another name of it.
  mutating func add(_ name: String, as declaredName: String) {
    permissions[name] = permissions[declaredName]
    files[name] = files[declaredName]
    if redacted.contains(declaredName) { redacted.insert(name) }
  }

  /// Adds the rules of rows that are ViewModels.
  ///
  /// - Throws: `SchemaError` if two lists have different ones for an input of one name, or one is about files.
  mutating func add(_ other: InputRules, screen: String) throws(SchemaError) {
    if let name = other.files.keys.min() {
      throw SchemaError(
        screen: screen, problem: "a rule limits the files of \"\(name)\", an input of rows that take none.")
    }
    for (name, permission) in other.permissions {
      guard permissions[name].map({ $0 == permission }) ?? true else {
        throw SchemaError(
          screen: screen, problem: "the rows of two lists have different rules for the input \"\(name)\".")
      }
      permissions[name] = permission
    }
    redacted.formUnion(other.redacted)
  }
}

extension InputRule {
  /// The rules by the names of inputs.
  ///
  /// - Parameters:
  ///   - rules: The rules.
  ///   - inputs: All inputs.
  ///   - screen: The screen's name, for the error.
  ///   - collected: Makes inputs whose streams tell their names to a collector; nil where rules say names.
  /// - Returns: What they say of the inputs that have some.
  /// - Throws: `SchemaError` if a rule is about something that is no input, or takes no files; if an input that takes files
  ///   has no limit.
  static func all(
    by rules: [InputRule], of inputs: [ScreenSchema.Input], screen: String,
    collected: ((InputNames) throws -> Inputs)? = nil
  ) throws -> InputRules {
    var all = InputRules()
    if !rules.isEmpty {
      try add(rules, to: &all, of: inputs, screen, collected)
    }
    if let input = inputs.first(where: { $0.kind == .file && all.files[$0.name] == nil }) {
      throw SchemaError(
        screen: screen,
        problem:
          "the input \"\(input.name)\" takes files of any size; add a rule such as .limit(…, to: .megabytes(20))."
      )
    }
    return all
  }

  private static func add(
    _ rules: [InputRule], to all: inout InputRules, of inputs: [ScreenSchema.Input], _ screen: String,
    _ collected: ((InputNames) throws -> Inputs)?
  ) throws {
    let names = inputs.map(\.name)
    let collector = InputNames()
    let properties = try collected?(collector)
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
        switch rule.demand {
        case .permission(let permission):
          all.permissions[name] = all.permissions[name]?.union(permission) ?? permission
        case .limit(let limit):
          try check(limit, of: name, inputs, screen)
          all.files[name] = limit
        case .redaction: all.redacted.insert(name)
        }
      }
    }
  }

  private static func check(
    _ limit: FileLimit, of name: String, _ inputs: [ScreenSchema.Input], _ screen: String
  ) throws(SchemaError) {
    if let type = limit.types.first(where: { !FileType.isPattern($0) }) {
      throw SchemaError(
        screen: screen,
        problem: "\"\(type)\" is no type of files for \"\(name)\"; write one as image/png, image/* or */*.")
    }
    // A row's input takes the row's id besides.
    guard inputs.contains(where: { $0.name == name && [.file, .value].contains($0.kind) }) else {
      throw SchemaError(
        screen: screen,
        problem: "a rule limits the files of \"\(name)\", which takes none; its type is UploadedFile.")
    }
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
