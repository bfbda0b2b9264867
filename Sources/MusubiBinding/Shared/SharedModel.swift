// SPDX-License-Identifier: Apache-2.0

/// The state of a room, which several screens and visitors share, while each visitor has a ViewModel of their own.
///
/// A model lives on one event loop, its home. Screens on any loop follow its relays, and send it commands:
///
/// ```swift
/// // In the model layer
/// final class TodoModel: SharedModel, Restorable {
///   enum Command: Codable {
///     case add(title: String)
///     case remove(id: Int)
///   }
///
///   let todos: BehaviorRelay<[Todo]>
///   var state: [Todo] { todos.value }
///
///   init(stored: [Todo]?) { todos = BehaviorRelay(value: stored ?? []) }
///
///   func handle(_ command: Command, from sender: Visitor) async throws { ... }
/// }
///
/// // In the application
/// application.sharedModel("todo") { context in TodoModel(stored: try context.restored()) }
/// application.screen("todo", page: "todo.html") { context in
///   TodoViewModel(todo: context.shared(TodoModel.self, room: context.query["list"] ?? "home"))
/// }
/// ```
///
/// Commands are handled one at a time, also while one waits for something. The model ends when no screen has used it for as
/// long as a room without pages lasts. One that is `Restorable` is stored after each command, and goes on after a restart.
public protocol SharedModel: AnyObject, SendableMetatype {
  /// A request of a screen to the model. It is recorded, and may come from another loop: a value, and no closure.
  associatedtype Command: Codable & Sendable
  /// The answer to a command; `Codable`, so that it can be told again after a restart and to another server, or `Void`.
  associatedtype Reply: Sendable = Void
  /// What `handle` throws, by `throws(TodoProblem)`. One that is `Codable` reaches screens on other servers as it is, and after a
  /// restart; of any other they get the description.
  associatedtype Failure: Error = any Error

  /// Carries out a command; runs on the model's home loop.
  ///
  /// Its effects outside of the model may happen again after a crash: store `Effect.currentKey` beside it.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - sender: Who sent the input in which a screen sent the command; nobody if it was sent outside of an input.
  /// - Returns: The answer for the screen.
  /// - Throws: An error for the screen, which gets it instead of the answer.
  func handle(_ command: Command, from sender: Visitor) async throws(Failure) -> Reply
}

/// Why a shared model has not carried out a command.
public enum SharedModelError: Error, Equatable, Codable, CustomStringConvertible {
  /// The model could not be made, or there is no space for it; the text tells why.
  case unavailable(String)
  /// Too many commands wait for the model.
  case busy
  /// The command has failed before a restart or on another server, with this description: its error is not `Codable`, or
  /// `handle` does not tell its type.
  case failed(String)

  /// A sentence for the log.
  public var description: String {
    switch self {
    case .unavailable(let reason): "the shared model is not there: \(reason)"
    case .busy: "too many commands wait for the shared model"
    case .failed(let reason): reason
    }
  }
}
