// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import MusubiWire

/// One loop's part of a shared model: its newest values for the screens there, and the way for their commands.
///
/// All screens of the loop use the same one, so that a value crosses to the loop once. Confined to its loop.
package final class ModelLine {
  private let watch: (ModelRelay) -> Void
  private let post: (ModelCommand, @escaping (ModelResult) -> Void) -> Void
  private let end: () -> Void
  private var mirrors: [AnyKeyPath: AnyObject] = [:]
  private var receivers: [(take: (any Sendable) -> Void, takeSent: (SentContent) throws -> Void)] = []
  /// The relays that have had no value yet.
  private var missing: Set<Int> = []

  /// A line.
  ///
  /// - Parameters:
  ///   - watch: Has the home follow a relay; its values come to `take`.
  ///   - post: Brings a command to the model; the answer comes in a turn of the screen.
  ///   - end: Called when no screen uses the line any more.
  package init(
    watch: @escaping (ModelRelay) -> Void,
    post: @escaping (ModelCommand, @escaping (ModelResult) -> Void) -> Void, end: @escaping () -> Void
  ) {
    self.watch = watch
    self.post = post
    self.end = end
  }

  deinit { end() }

  /// A relay of the model has a value, or another one.
  package func take(_ number: Int, _ value: any Sendable) {
    missing.remove(number)
    receivers[number].take(value)
  }

  /// A relay of a model on another server has a value, or another one.
  ///
  /// - Throws: What tells why it is not one of the relay's.
  package func take(_ number: Int, sent value: SentContent) throws {
    missing.remove(number)
    if receivers.indices.contains(number) { try receivers[number].takeSent(value) }
  }

  /// Whether values are to come of relays that have had none.
  package var lacksValues: Bool { !missing.isEmpty }

  /// None are to come.
  package func giveUp() { missing = [] }

  /// The loop's copy of a relay; nil until its first value has come.
  ///
  /// - Parameters:
  ///   - path: The relay.
  ///   - relay: Makes an empty copy.
  /// - Returns: The copy.
  func mirror<Model: SharedModel, Content: Codable & Sendable>(
    _ path: any KeyPath<Model, BehaviorRelay<Content>> & Sendable,
    _ relay: () -> SharedRelay<Content?>
  ) -> SharedRelay<Content?> {
    if let known = mirrors[path] as? SharedRelay<Content?> { return known }
    let relay = relay()
    mirrors[path] = relay
    receivers.append(
      (
        { if let value = $0 as? Content { relay.accept(value) } },
        { relay.accept(try $0.decoded(as: Content.self, Content.self)) }
      ))
    missing.insert(receivers.count - 1)
    watch(
      ModelRelay(number: receivers.count - 1) {
        path
      } find: { model in
        (model as? Model)?[keyPath: path]
      } follow: { model, take in
        (model as? Model)?[keyPath: path].subscribe(onNext: { take($0) }) ?? Disposables.create()
      })
    return relay
  }

  /// Sends a command.
  func send(_ command: ModelCommand, _ answer: @escaping (ModelResult) -> Void) { post(command, answer) }
}

/// Knows the shared models of an application.
package protocol ModelSource: AnyObject {
  /// The line to a model.
  ///
  /// - Parameters:
  ///   - type: The model's type.
  ///   - room: Which of these models.
  /// - Returns: The line; nil if the application has no such model.
  func line(_ type: ObjectIdentifier, room: String) -> ModelLine?

  /// Whether values are to come of models that the screen uses.
  var lacksValues: Bool { get }
}

/// Knows which shared models an application has, while the names of its screens are collected.
package final class ModelProbe: ModelSource {
  private let types: Set<ObjectIdentifier>?

  /// Any model.
  package init() { types = nil }

  /// The models of these routes.
  package init(_ models: [ScreenRoute]) { types = Set(models.compactMap(\.type)) }

  package var lacksValues: Bool { false }

  package func line(_ type: ObjectIdentifier, room: String) -> ModelLine? {
    types?.contains(type) ?? true ? ModelLine.none : nil
  }
}
