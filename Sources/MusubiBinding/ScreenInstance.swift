// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

/// What an author's class becomes on the server: something that starts, appears and disappears.
package protocol ScreenContent: AnyObject {
  /// The screen has been made, and binds its outputs; once per ViewModel.
  func start()
  /// A page shows the screen.
  func appear()
  /// A page no longer shows the screen.
  func disappear()
}

/// One live screen: an author's View or ViewModel with its named inputs and outputs.
///
/// Confined to the loop of its room. It knows neither sessions nor frames.
package final class ScreenInstance {
  /// The outputs.
  package let board: OutputBoard
  /// The inputs, by position.
  package let inputs: [InputSlot]
  private let content: any ScreenContent

  /// Makes a screen by running its factory, and lets it bind.
  ///
  /// - Parameters:
  ///   - route: What is to be made.
  ///   - context: What the factory gets.
  /// - Throws: `SchemaError` if the names cannot be used; what the factory throws.
  package convenience init(_ route: ScreenRoute, context: ScreenContext) throws {
    let builder = ScreenBuilder()
    let content = try builder.collect {
      let content = try route.make(context)
      content.start()
      return content
    }
    if let problem = builder.problems.first { throw SchemaError(screen: route.name, problem: problem) }
    self.init(builder: builder, content: content)
  }

  /// A screen of what a builder has collected.
  package init(builder: ScreenBuilder, content: any ScreenContent) {
    board = builder.board
    inputs = builder.inputs
    self.content = content
  }

  /// The names and types, as this instance has declared them.
  package var schema: ScreenSchema {
    ScreenSchema(
      inputs: inputs.map { ScreenSchema.Input(name: $0.name, kind: $0.kind) },
      outputs: board.slots.map(\.name))
  }

  /// Tells the author's code that one more page shows the screen.
  package func appear() { content.appear() }

  /// Tells the author's code that one page less shows the screen.
  package func disappear() { content.disappear() }

  /// The input of a name; nil if the screen has none.
  package func input(named name: String) -> InputSlot? {
    // Screens have few inputs; a scan over short strings is quicker than hashing one.
    inputs.first { $0.name == name }
  }

  /// Hands an input's value to the ViewModel.
  ///
  /// - Parameters:
  ///   - name: The input's name.
  ///   - value: Its value, nil if none came.
  /// - Throws: `BindingError`: `unknown-input` or `wrong-type`, before the ViewModel has seen anything.
  package func deliver(_ name: String, _ value: Value?) throws(BindingError) {
    guard let slot = input(named: name) else { throw .unknownInput(name, known: inputs.map(\.name)) }
    try slot.deliver(value)
  }
}
