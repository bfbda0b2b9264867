// SPDX-License-Identifier: Apache-2.0
import MusubiRx

/// One screen of an application: its name, who shares it, and how it is made.
package struct ScreenRoute: Sendable {
  /// The screen's name, the last part of `/live/<screen>`.
  package let name: String
  /// Who shares its state.
  package let scope: Scope
  /// Whether repeating timers of a session's own screen go on while its page is not connected.
  package let keepsRunning: Bool
  /// The address of the page; a segment in angle brackets stands for anything.
  package let path: String
  /// The type that the screen shows, so that a ViewModel of it can be navigated to.
  package let type: ObjectIdentifier?
  /// The address of the page that shows a certain object of that type; nil if it is `path`.
  package let address: (@Sendable (AnyObject) -> String)?
  /// Who may open it; nil for everybody.
  package let permission: Permission?
  /// Makes the author's View or ViewModel; runs on the room's loop.
  package let make: @Sendable (ScreenContext) throws -> any ScreenContent
  /// Makes one to read the names from, for a route that finds nothing without an address.
  package let example: (@Sendable () -> any ScreenContent)?

  /// A route.
  package init(
    name: String, scope: Scope, keepsRunning: Bool = false, path: String? = nil,
    type: ObjectIdentifier? = nil,
    address: (@Sendable (AnyObject) -> String)? = nil, permission: Permission? = nil,
    example: (@Sendable () -> any ScreenContent)? = nil,
    make: @escaping @Sendable (ScreenContext) throws -> any ScreenContent
  ) {
    self.path = path ?? "/\(name)"
    self.type = type
    self.address = address
    self.permission = permission
    self.name = name
    self.scope = scope
    self.keepsRunning = keepsRunning
    self.make = make
    self.example = example
  }

  /// Makes one instance on a clock that stands still, without a page, and reads its names.
  ///
  /// - Parameter context: A context made for the probe.
  /// - Returns: The names and types.
  /// - Throws: `SchemaError` if the names or first values cannot be used; what the factory throws.
  package func probe(_ context: ScreenContext) throws -> ScreenSchema {
    let instance: ScreenInstance
    var builder = ScreenBuilder()
    do {
      instance = try ScreenInstance(name, builder: builder) { try make(context) }
    } catch is ScreenNotFound {
      guard let example else {
        throw SchemaError(
          screen: name,
          problem:
            "nothing is found without an address, so the names cannot be checked; give the screen an example."
        )
      }
      builder = ScreenBuilder()
      instance = try ScreenInstance(name, builder: builder) { example() }
    }
    try instance.check(name, builder)
    var schema = instance.schema
    schema.files = try instance.rules().files
    for slot in instance.board.slots { schema.samples[slot.name] = slot.value }
    return schema
  }

  /// The parts of an address that segments in angle brackets stand for; nil if the address is not of this route.
  package func parameters(in address: String) -> [String: String]? {
    if address == path, !path.utf8.contains(UInt8(ascii: "<")) { return [:] }
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    let segments = address.split(separator: "/", omittingEmptySubsequences: false)
    guard names.count == segments.count else { return nil }
    var parameters: [String: String] = [:]
    for (name, segment) in zip(names, segments) {
      if name.hasPrefix("<"), name.hasSuffix(">") {
        parameters[String(name.dropFirst().dropLast())] = String(segment)
      } else if name != segment {
        return nil
      }
    }
    return parameters
  }
}

// MARK: - Shared models

extension ScreenRoute {
  /// The route of a shared model, which no page can ask for.
  ///
  /// - Parameters:
  ///   - name: The model's name.
  ///   - make: Makes the author's model.
  /// - Returns: The route.
  package static func model<Model: SharedModel>(
    _ name: String, make: @escaping @Sendable (ScreenContext) throws -> Model
  ) -> ScreenRoute {
    ScreenRoute(name: "model:\(name)", scope: .room, type: ObjectIdentifier(Model.self)) { context in
      let stored: StoredModel? = try context.restored()
      var own = context
      own.stored = stored?.model
      return ModelHost(try make(own), restoring: stored) { context.clock.now }
    }
  }
}
