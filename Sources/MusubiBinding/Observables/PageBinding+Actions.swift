// SPDX-License-Identifier: Apache-2.0
import MusubiRx

extension PageBinding {
  /// A button of the page; the action runs within the turn.
  ///
  /// - Parameters:
  ///   - name: The name in the page.
  ///   - body: The action; an error that it throws is told in the log.
  /// - Returns: The binding.
  public static func action(_ name: String, _ body: @escaping @Sendable (Model) throws -> Void) -> Self {
    tap(name) { action, model in action.perform { try body(model) } }
  }

  /// A button of the page; the action hears who pressed it.
  ///
  /// - Parameters:
  ///   - name: The name in the page.
  ///   - body: The action; an error that it throws is told in the log.
  /// - Returns: The binding.
  public static func action(
    _ name: String, _ body: @escaping @Sendable (_ model: Model, _ sender: Visitor) throws -> Void
  ) -> Self {
    tap(name) { action, model in action.perform { try body(model, .acting) } }
  }

  /// A control of the page that sends a value.
  ///
  /// - Parameters:
  ///   - name: The name in the page.
  ///   - body: The action; an error that it throws is told in the log.
  /// - Returns: The binding.
  public static func action<Content: Decodable>(
    _ name: String, _ body: @escaping @Sendable (_ model: Model, _ value: Content) throws -> Void
  ) -> Self {
    value(name) { action, model, value in action.perform { try body(model, value) } }
  }

  /// A control of the page that sends a value; the action hears who sent it.
  ///
  /// ```swift
  /// .action("vote") { (model, choice: Int, sender) in model.vote(choice, by: sender.id) }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name in the page.
  ///   - body: The action; an error that it throws is told in the log.
  /// - Returns: The binding.
  public static func action<Content: Decodable>(
    _ name: String,
    _ body: @escaping @Sendable (_ model: Model, _ value: Content, _ sender: Visitor) throws -> Void
  ) -> Self {
    value(name) { action, model, value in action.perform { try body(model, value, .acting) } }
  }

  /// A button of the page whose action waits for something, such as a database.
  ///
  /// The action is an effect: its input is acknowledged when it has ended, and comes again after a crash, with the same
  /// `Effect.currentKey`. It is cancelled when its screen goes. Whoever presses twice begins it twice; a button with
  /// `data-bind-disabled="saving"` cannot be pressed meanwhile.
  ///
  /// ```swift
  /// .action("save", running: "saving", failure: "problem") { try await $0.save() }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name in the page.
  ///   - running: An output that is true while it runs; nil for none. Rows have none.
  ///   - failure: An output that says why it has failed, and is empty if it has not; nil for none. Rows have none.
  ///   - body: The action; an error that it throws is told in the log.
  /// - Returns: The binding.
  public static func action(
    _ name: String, running: String? = nil, failure: String? = nil,
    _ body: @escaping @concurrent @Sendable (Model) async throws -> Void
  ) -> Self {
    tap(name, running, failure) { action, model in
      // The task runs where the model lives.
      let model = Carried(model)
      action.begin { try await body(model.element) }
    }
  }

  /// A button of the page whose action waits for something, and hears who pressed it.
  ///
  /// - Parameters:
  ///   - name: The name in the page.
  ///   - running: An output that is true while it runs; nil for none. Rows have none.
  ///   - failure: An output that says why it has failed, and is empty if it has not; nil for none. Rows have none.
  ///   - body: The action; the sender stays the same while it waits. An error that it throws is told in the log.
  /// - Returns: The binding.
  public static func action(
    _ name: String, running: String? = nil, failure: String? = nil,
    _ body: @escaping @concurrent @Sendable (_ model: Model, _ sender: Visitor) async throws -> Void
  ) -> Self {
    tap(name, running, failure) { action, model in
      let (model, sender) = (Carried(model), Visitor.acting)
      action.begin { try await body(model.element, sender) }
    }
  }

  /// A control of the page that sends a value to an action that waits for something.
  ///
  /// - Parameters:
  ///   - name: The name in the page.
  ///   - running: An output that is true while it runs; nil for none. Rows have none.
  ///   - failure: An output that says why it has failed, and is empty if it has not; nil for none. Rows have none.
  ///   - body: The action; an error that it throws is told in the log.
  /// - Returns: The binding.
  public static func action<Content: Decodable & Sendable>(
    _ name: String, running: String? = nil, failure: String? = nil,
    _ body: @escaping @concurrent @Sendable (_ model: Model, _ value: Content) async throws -> Void
  ) -> Self {
    value(name, running, failure) { action, model, value in
      let model = Carried(model)
      action.begin { try await body(model.element, value) }
    }
  }

  /// A control of the page that sends a value to an action that waits for something, and hears who sent it.
  ///
  /// - Parameters:
  ///   - name: The name in the page.
  ///   - running: An output that is true while it runs; nil for none. Rows have none.
  ///   - failure: An output that says why it has failed, and is empty if it has not; nil for none. Rows have none.
  ///   - body: The action; the sender stays the same while it waits. An error that it throws is told in the log.
  /// - Returns: The binding.
  public static func action<Content: Decodable & Sendable>(
    _ name: String, running: String? = nil, failure: String? = nil,
    _ body:
      @escaping @concurrent @Sendable (_ model: Model, _ value: Content, _ sender: Visitor) async throws ->
      Void
  ) -> Self {
    value(name, running, failure) { action, model, value in
      let (model, sender) = (Carried(model), Visitor.acting)
      action.begin { try await body(model.element, value, sender) }
    }
  }

  private static func tap(
    _ name: String, _ running: String? = nil, _ failure: String? = nil,
    _ run: @escaping (PageAction, Model) -> Void
  ) -> Self {
    Self(
      bind: { names, model in
        let action = PageAction(name, in: names, running: running, failure: failure)
        names.tap(name) { () throws(BindingError) in
          guard let model = model() else { throw .absent(action.name) }
          run(action, model)
        }
      }, show: nil,
      bindRows: { names, rows in
        let action = PageAction(name, in: names)
        names.rowTap(name, rows) { run(action, $0) }
      })
  }

  private static func value<Content: Decodable>(
    _ name: String, _ running: String? = nil, _ failure: String? = nil,
    _ run: @escaping (PageAction, Model, Content) -> Void
  ) -> Self {
    Self(
      bind: { names, model in
        let action = PageAction(name, in: names, running: running, failure: failure)
        names.input(name, of: Content.self) { content throws(BindingError) in
          guard let model = model() else { throw .absent(action.name) }
          run(action, model, content)
        }
      }, show: nil,
      bindRows: { names, rows in
        let action = PageAction(name, in: names)
        names.rowInput(name, of: Content.self, rows) { run(action, $0, $1) }
      })
  }
}
