// SPDX-License-Identifier: Apache-2.0

/// One screen of an application: its name, who shares it, and how it is made.
package struct ScreenRoute: Sendable {
  /// The screen's name, the last part of `/live/<screen>`.
  package let name: String
  /// Who shares its state.
  package let scope: Scope
  /// Makes the author's View or ViewModel; runs on the room's loop.
  package let make: @Sendable (ScreenContext) throws -> any ScreenContent

  /// A route.
  package init(
    name: String, scope: Scope, make: @escaping @Sendable (ScreenContext) throws -> any ScreenContent
  ) {
    self.name = name
    self.scope = scope
    self.make = make
  }

  /// Makes one instance on a clock that stands still, without a page, and reads its names.
  ///
  /// - Parameter context: A context made for the probe.
  /// - Returns: The names and types.
  /// - Throws: `SchemaError` if the names cannot be used; what the factory throws.
  package func probe(_ context: ScreenContext) throws -> ScreenSchema {
    try ScreenInstance(self, context: context).schema
  }
}
