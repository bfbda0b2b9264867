// SPDX-License-Identifier: Apache-2.0
public import MusubiBinding
import MusubiWire

/// Runs a View as its page would, without server and network: type, tap, and look at what it shows.
///
/// ```swift
/// let screen = try TestScreen { NumberView(model: StubModel(number: 7)) }
/// try screen.tap("roll")
/// #expect(screen["label"] == "7")
/// ```
public final class TestScreen {
  private let instance: ScreenInstance

  /// Makes the View and lets it bind.
  ///
  /// - Parameter make: Makes the View; its outlets find their screen while it runs.
  /// - Throws: `SchemaError` if the names cannot be used; what `make` throws.
  public init(_ make: () throws -> View) throws {
    let builder = ScreenBuilder()
    let view = try builder.collect {
      let view = try make()
      view.viewDidLoad()
      return view
    }
    if let problem = builder.problems.first {
      throw SchemaError(screen: "\(Swift.type(of: view))", problem: problem)
    }
    instance = ScreenInstance(builder: builder, content: view)
  }

  /// What an output shows as text; nil before its first value, or if there is no such output.
  public subscript(output: String) -> String? {
    guard let value = instance.board.slots.first(where: { $0.name == output })?.value else { return nil }
    return value.stringValue ?? value.description
  }

  /// Sends an input without a value.
  ///
  /// - Parameters:
  ///   - input: The input's name.
  ///   - row: The id of the row in which it is; nil outside of lists.
  /// - Throws: If the screen has no such input or row, or it takes a value.
  public func tap(_ input: String, row: String? = nil) throws {
    try instance.deliver(input, nil, row: row.map { [$0] } ?? [])
  }

  /// Sends a text to an input, as if the whole field had been replaced by it.
  ///
  /// - Parameters:
  ///   - text: What the field holds now.
  ///   - input: The input's name.
  /// - Throws: If the screen has no such input, or it takes no text.
  public func type(_ text: String, into input: String) throws { try instance.deliver(input, .string(text)) }
}
