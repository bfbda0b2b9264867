// SPDX-License-Identifier: Apache-2.0
public import Observation

/// A ViewModel that is a plain `@Observable` class, as SwiftUI shows it.
///
/// The class needs the Observation module alone; the layer that knows Musubi declares the names in the page:
///
/// ```swift
/// // In the model layer
/// @Observable public final class GreetingModel {
///   public var name = ""
///   public var greeting: String { "Hello, \(name)!" }
///   public func save() async throws { ... }
/// }
///
/// // In the view layer
/// extension GreetingModel: ObservableViewModel {
///   static var bindings: [PageBinding<GreetingModel>] {
///     [.field("name", \.name), .output("greeting", \.greeting), .action("save") { try await $0.save() }]
///   }
/// }
/// application.screen("greeting", page: "greeting.html") { _ in GreetingModel() }
/// ```
///
/// A model lives on the loop of its room: its properties are read and written there. Several changes in one turn are one
/// change for the pages. A class that changes a property on another thread is told so in the log.
public protocol ObservableViewModel: AnyObject, Observation.Observable, SendableMetatype {
  /// The names in the page, and what they stand for.
  static var bindings: [PageBinding<Self>] { get }

  /// Who may send the inputs that not everybody may send; none if left out. They hold for its rows and parts, too.
  static var rules: [InputRule<Self>] { get }

  /// The roles that a visitor has on this screen, besides those everywhere; asked again after each turn.
  ///
  /// - Parameter visitor: Whose page shows the screen.
  /// - Returns: The roles; none if left out.
  func roles(of visitor: Visitor) -> Set<Role>
}

extension ObservableViewModel {
  /// Everybody may send every input.
  public static var rules: [InputRule<Self>] { [] }

  /// Nobody has other roles here than everywhere.
  ///
  /// - Parameter visitor: Whose page shows the screen.
  /// - Returns: None.
  public func roles(of visitor: Visitor) -> Set<Role> { [] }
}

extension ObservableViewModel {
  /// Its rules and those of the models inside of it.
  ///
  /// - Parameter prefix: What stands before its names.
  /// - Returns: The rules.
  static func allRules(behind prefix: String = "") -> [InputRule<Any>] {
    rules.map { $0.behind(prefix) } + bindings.flatMap { $0.rules?(prefix) ?? [] }
  }
}

extension InputRule where Inputs: ObservableViewModel {
  /// A field or an action that not everybody may use.
  ///
  /// - Parameters:
  ///   - input: Its name.
  ///   - permission: Who may.
  /// - Returns: The rule.
  public static func allow(_ input: String, for permission: Permission) -> InputRule {
    InputRule(input: input, permission: permission)
  }
  /// Which files an action takes; each action of an `UploadedFile` has one such rule.
  ///
  /// - Parameters:
  ///   - input: Its name.
  ///   - size: The largest file.
  ///   - types: The types that a file may have by its first bytes: `image/png`, `image/*`.
  /// - Returns: The rule.
  public static func limit(_ input: String, to size: FileSize, types: [String] = ["*/*"]) -> InputRule {
    InputRule(input: input, limit: FileLimit(size: size, types: types))
  }

  /// An input whose values no record of the server has.
  ///
  /// - Parameter input: The input's name.
  /// - Returns: The rule.
  public static func redact(_ input: String) -> InputRule { InputRule(redactedInput: input) }
}
