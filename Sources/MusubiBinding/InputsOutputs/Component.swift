// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

/// A ViewModel inside of another one, with what it stores.
package struct Component {
  /// The name of the outer ViewModel's property, and of the nested struct of inputs or outputs.
  let name: String
  private let content: Content

  private enum Content {
    /// The same for as long as the screen lives.
    case fixed(ScreenState)
    /// The model that is there at present, nil if none is, and the components that its type has.
    case present(() -> AnyObject?, [Component])
  }

  private init(_ name: String, _ content: Content) { (self.name, self.content) = (name, content) }

  /// A part of a model, which may go, and be replaced by another one of its type.
  ///
  /// - Parameters:
  ///   - name: The beginning of its names in the page.
  ///   - components: Its own parts.
  ///   - model: Tells the part; nil while there is none.
  init(_ name: String, _ components: [Component], _ model: @escaping () -> AnyObject?) {
    self.init(name, .present(model, components))
  }

  /// Whether there is a component at a path of names that begins with this one's.
  func has(_ path: some Collection<String>) -> Bool {
    guard path.first == name else { return false }
    switch content {
    case .fixed(let state): return state.has(path.dropFirst())
    case .present(_, let inner):
      return path.count == 1 || inner.contains { $0.has(path.dropFirst()) }
    }
  }

  /// The present state as it is stored; nil if there is no such component at present.
  ///
  /// - Throws: What an author's `encode(to:)` throws.
  func value() throws -> Value? {
    switch content {
    case .fixed(let state): try state.value()
    case .present(let model, let inner):
      try model().map { try ScreenState.value($0 as? any Restorable, inner) }
    }
  }

  /// Finds the components of a ViewModel that have something to store.
  ///
  /// - Parameters:
  ///   - viewModel: Whose properties may be components.
  ///   - streams: Its inputs and its outputs.
  ///   - screen: The screen's name, for the error.
  /// - Returns: The components in the order of the properties.
  /// - Throws: `SchemaError` with a property that its nested struct calls by another name.
  static func all(in viewModel: Any, streams: [Any], screen: String) throws(SchemaError) -> [Component] {
    let nested = streams.flatMap { Array(Mirror(reflecting: $0).children) }
    var components: [Component] = []
    var mirror: Mirror? = Mirror(reflecting: viewModel)
    while let properties = mirror {
      for (label, value) in properties.children {
        guard let name = label.map(propertyName), let part = object(value) else { continue }
        let own = part as? any Restorable
        let structs = nested.filter { $0.label == name }.map(\.value)
        if structs.isEmpty, own != nil, let other = nested.first(where: { isPart($0.value, of: part) })?.label
        {
          throw SchemaError(
            screen: screen,
            problem: "the component \"\(name)\" has its inputs and outputs under \"\(other)\", and its state "
              + "would not be stored: give both one name.")
        }
        guard !structs.isEmpty else { continue }
        let inner = try all(in: part, streams: structs, screen: screen)
        if let state = ScreenState(own, inner) { components.append(Component(name, .fixed(state))) }
      }
      mirror = properties.superclassMirror
    }
    return components
  }

  /// The name of a property as it is written; a lazy one is stored under another.
  private static func propertyName(_ label: String) -> String {
    let lazy = "$__lazy_storage_$_"
    return label.hasPrefix(lazy) ? String(label.dropFirst(lazy.count)) : label
  }

  /// The object that a property holds; nil if it holds a value.
  private static func object(_ value: Any) -> AnyObject? {
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .class: return value as AnyObject
    case .optional: return mirror.children.first.flatMap { object($0.value) }
    default: return nil
    }
  }

  private static func isPart(_ nested: Any, of viewModel: AnyObject) -> Bool {
    func isPart<ViewModel: InputOutputViewModel>(_: ViewModel) -> Bool {
      nested is ViewModel.Inputs || nested is ViewModel.Outputs
    }
    return (viewModel as? any InputOutputViewModel).map { isPart($0) } ?? false
  }
}

/// What a screen stores: its own state, and those of its components.
package struct ScreenState {
  private let own: (any Restorable)?
  private let components: [Component]

  /// Nil if there is nothing to store.
  init?(_ own: (any Restorable)?, _ components: [Component]) {
    guard own != nil || !components.isEmpty else { return nil }
    self.own = own
    self.components = components
  }

  /// Whether there is a component at a path of names.
  func has(_ path: some Collection<String>) -> Bool {
    path.isEmpty || components.contains { $0.has(path) }
  }

  /// The present states as they are stored.
  ///
  /// - Throws: What an author's `encode(to:)` throws.
  package func value() throws -> Value { try Self.value(own, components) }

  fileprivate static func value(_ own: (any Restorable)?, _ components: [Component]) throws -> Value {
    let state = try own?.storedState()
    guard !components.isEmpty else { return state ?? .null }
    var states = Value.Object()
    for component in components { states[component.name] = try component.value() }
    var all = Value.Object()
    all[Value.ownStateKey] = state
    all[Value.componentStatesKey] = .object(states)
    return .object(all)
  }
}

extension Value {
  // No properties of a state have such names.
  fileprivate static let ownStateKey = "musubi:state"
  fileprivate static let componentStatesKey = "musubi:components"

  /// The state of a ViewModel itself, without those of its components; nil if it has none.
  var ownState: Value? { self[Self.componentStatesKey] == nil ? self : self[Self.ownStateKey] }

  /// The state of a component.
  func componentState(_ name: String) -> Value? { self[Self.componentStatesKey]?[name] }
}
