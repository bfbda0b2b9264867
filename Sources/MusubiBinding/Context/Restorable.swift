// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

/// A View or ViewModel whose state survives the end of the server's process.
///
/// The server reads the state after each event and stores it; it acknowledges a page's input when the effect
/// is on the disk. After a restart the route's factory gets the state back:
///
/// ```swift
/// extension CounterView: Restorable {
///   var state: Int { viewModel.count.value }
/// }
/// application.screen("counter", page: "counter.html") { context in
///   CounterView(count: try context.restored() ?? 0)
/// }
/// ```
///
/// Two-way texts are stored beside it, with what all fields show; timers that run are not. Whatever else the screen
/// shows has to follow from its state, or has to be fetched when the screen begins.
///
/// A ViewModel inside of another one may be `Restorable` as well: its state is stored with the screen's, and
/// `ScreenContext.component(_:)` gives it back.
public protocol Restorable: AnyObject {
  /// The stored state. The server reads it after each event and writes the changes, of a long text its edits.
  associatedtype State: Codable

  /// The present state.
  var state: State { get }
}

extension Restorable {
  /// The state as it is stored.
  package func storedState() throws -> Value { try ValueEncoder.encodeRecord(state) }
}

extension ScreenContext {
  /// The state that the screen had when the server's process ended; nil for a screen that begins.
  ///
  /// - Parameter type: The type of the state.
  /// - Returns: The state.
  /// - Throws: `DecodingError` if the stored state is of another type, as after a change of the program: let
  ///   it through, and the page gets a new screen and hands over its typed text.
  public func restored<State: Decodable>(_ type: State.Type = State.self) throws -> State? {
    guard let stored = stored?.ownState else { return nil }
    return try ValueDecoder.decode(type, as: State.self, from: stored, isRecord: true)
  }
}
