// SPDX-License-Identifier: Apache-2.0
package import MusubiRx
package import MusubiWire

/// A command on its way to a shared model.
package struct ModelCommand: Equatable, Codable, Sendable {
  /// Names the command, also when its input comes again after a crash; empty until the loop names one of no input.
  package var key: String
  /// Who has sent the input.
  package let sender: Visitor
  /// The author's command.
  package let value: Value
  /// Whether its input may come again: what came of it is stored until it cannot.
  package var isRecorded: Bool

  /// A command.
  package init(key: String, sender: Visitor, value: Value, isRecorded: Bool) {
    self.key = key
    self.sender = sender
    self.value = value
    self.isRecorded = isRecorded
  }
}

/// What came of a command: the author's reply, or an error.
package typealias ModelResult = Result<any Sendable, any Error>

/// A relay of a shared model that a loop follows.
package struct ModelRelay: Sendable {
  /// Names it among those that the loop follows.
  package let number: Int
  /// Its key path, which stays in the process.
  package let path: @Sendable () -> AnyKeyPath
  /// Finds it in the model.
  let find: @Sendable (_ model: AnyObject) -> (any CodableRelay)?
  /// Follows it at the model's home: its value, and each new one.
  let follow: @Sendable (_ model: AnyObject, _ take: @escaping (any Sendable) -> Void) -> any Disposable

  /// Its name in the model, by which another server finds it: that of a stored property; nil if it has none.
  package var name: String? {
    let path = path()
    let (text, root) = ("\(path)", "\\\(type(of: path).rootType).")
    guard text.hasPrefix(root) else { return nil }
    let name = text.dropFirst(root.count)
    // Swift writes the address of what is computed, and the offset of what it has no name of.
    return name.contains("<") ? nil : String(name)
  }
}

/// A shared model at its home, as the loop sees it.
package protocol ModelContent: ScreenContent {
  /// Is told what has come of each command, in a turn of the model's room.
  var onResult: ((_ key: String, _ result: ModelResult) -> Void)? { get set }
  /// Whether a command is under way or waits.
  var isBusy: Bool { get }
  /// The bytes of heap that it holds beside what is stored of it.
  var heldBytes: Int { get }
  /// Carries out a command when those before it have ended.
  func perform(_ command: ModelCommand)
  /// The input of a command cannot come again.
  func forget(_ key: String)
  /// Follows a relay.
  func follow(_ relay: ModelRelay, _ take: @escaping (any Sendable) -> Void) -> any Disposable
  /// Follows a relay for another server.
  ///
  /// - Parameters:
  ///   - name: The name of the relay's property.
  ///   - take: Gets the relay when it has a value: at once, and each time when it has another one.
  /// - Returns: Ends that; nil if the model has no such relay.
  func follow(named name: String, _ take: @escaping (any CodableRelay) -> Void) -> (any Disposable)?
}
