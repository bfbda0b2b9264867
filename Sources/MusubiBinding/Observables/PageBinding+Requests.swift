// SPDX-License-Identifier: Apache-2.0
import MusubiWire

// MARK: - Screens

extension PageBinding {
  /// A property whose model is opened as a screen on top of this one, in the page that caused it.
  ///
  /// It is nil again as soon as the screen opens: it asks for a screen, and does not tell which one is open. The visitor
  /// comes back by going back.
  ///
  /// ```swift
  /// // In the model: var detail: DetailModel?, and func open(_ id: Int) { detail = DetailModel(thing(id)) }
  /// [.destination("detail", \.detail), .action("open") { (model, id: Int) in model.open(id) }]
  /// ```
  ///
  /// - Parameters:
  ///   - name: What messages call it; the page does not have it.
  ///   - path: The property, of a type that a route of the application shows.
  /// - Returns: The binding.
  public static func destination<Next: ObservableViewModel>(
    _ name: String, _ path: any ReferenceWritableKeyPath<Model, Next?> & Sendable
  ) -> Self { destination(name, path, of: Next.self) { Presentation($0) } }

  /// A property of whose content a model is made and opened as a screen on top of this one, in the page that caused it.
  ///
  /// ```swift
  /// .destination("detail", \.selection) { thing in DetailModel(thing) }
  /// ```
  ///
  /// - Parameters:
  ///   - name: What messages call it; the page does not have it.
  ///   - path: The property; it is nil again as soon as the screen opens.
  ///   - next: Makes the model, of a type that a route of the application shows.
  /// - Returns: The binding.
  public static func destination<Content, Next: ObservableViewModel>(
    _ name: String, _ path: any ReferenceWritableKeyPath<Model, Content?> & Sendable,
    _ next: @escaping @Sendable (Content) -> Next
  ) -> Self { destination(name, path, of: Next.self) { Presentation(next($0)) } }

  /// A property of whose content a ViewModel with inputs and outputs is made and opened as a screen.
  ///
  /// - Parameters:
  ///   - name: What messages call it; the page does not have it.
  ///   - path: The property; it is nil again as soon as the screen opens.
  ///   - next: Makes the ViewModel, of a type that a route of the application shows; `{ $0 }` if the property holds it.
  /// - Returns: The binding.
  public static func destination<Content, Next: InputOutputViewModel>(
    _ name: String, _ path: any ReferenceWritableKeyPath<Model, Content?> & Sendable,
    _ next: @escaping @Sendable (Content) -> Next
  ) -> Self { destination(name, path, of: Next.self) { Presentation(next($0)) } }

  /// A property of whose content a View is made and opened as a screen.
  ///
  /// - Parameters:
  ///   - name: What messages call it; the page does not have it.
  ///   - path: The property; it is nil again as soon as the screen opens.
  ///   - next: Makes the View, of a type that a route of the application shows.
  /// - Returns: The binding.
  public static func destination<Content, Next: View>(
    _ name: String, _ path: any ReferenceWritableKeyPath<Model, Content?> & Sendable,
    _ next: @escaping @Sendable (Content) -> Next
  ) -> Self { destination(name, path, of: Next.self) { content in Presentation { next(content) } } }

  /// A destination needs a property that can be written.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - path: The property.
  /// - Returns: Nothing.
  @available(
    *, unavailable,
    message:
      "The property must hold an ObservableViewModel, and be a var that others may set to nil; of another type say what it opens: { .. }."
  )
  public static func destination<Next>(_ name: String, _ path: any KeyPath<Model, Next?> & Sendable) -> Self {
    fatalError("unavailable")
  }

  private static func destination<Content>(
    _ name: String, _ path: any ReferenceWritableKeyPath<Model, Content?> & Sendable, of type: Any.Type,
    _ presentation: @escaping (Content) -> Presentation
  ) -> Self {
    Self(
      bind: { names, model in
        names.destination(
          name, of: type, { model()?[keyPath: path] }, clear: { model()?[keyPath: path] = nil }, presentation)
      }, show: nil, bindRows: { names, _ in names.refuse(inRow("destination", name)) })
  }
}

// MARK: - Dialogs

extension PageBinding {
  /// A property whose content is a question: the page that caused it opens its `<dialog data-dialog="name">`.
  ///
  /// It is nil again as soon as the dialog opens. The members of the question are names inside the dialog; the answer is
  /// an ordinary action. If the question has an `id`, the action gets it.
  ///
  /// ```swift
  /// [.dialog("askDelete", \.question), .action("confirmDelete") { (model, id: Int) in model.delete(id) }]
  /// ```
  ///
  /// - Parameters:
  ///   - name: The dialog's name in the page.
  ///   - path: The property.
  /// - Returns: The binding.
  public static func dialog<Question: Encodable>(
    _ name: String, _ path: any ReferenceWritableKeyPath<Model, Question?> & Sendable
  ) -> Self {
    dialog(name, { $0[keyPath: path] }, clear: { $0[keyPath: path] = nil }, { try ValueEncoder.encode($0) })
  }

  /// A property of whose content a question is made: the page that caused it opens its `<dialog data-dialog="name">`.
  ///
  /// ```swift
  /// .dialog("askDelete", \.deletion) { thing in Question(id: thing.id, title: thing.title) }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The dialog's name in the page.
  ///   - path: The property; it is nil again as soon as the dialog opens.
  ///   - question: Makes the question.
  /// - Returns: The binding.
  public static func dialog<Content, Question: Encodable>(
    _ name: String, _ path: any ReferenceWritableKeyPath<Model, Content?> & Sendable,
    _ question: @escaping @Sendable (Content) -> Question
  ) -> Self {
    dialog(
      name, { $0[keyPath: path] }, clear: { $0[keyPath: path] = nil },
      { try ValueEncoder.encode(question($0)) })
  }

  /// A flag that opens a dialog without content: the page that caused it opens its `<dialog data-dialog="name">`.
  ///
  /// - Parameters:
  ///   - name: The dialog's name in the page.
  ///   - path: The flag; it is false again as soon as the dialog opens.
  /// - Returns: The binding.
  public static func dialog(
    _ name: String, isPresented path: any ReferenceWritableKeyPath<Model, Bool> & Sendable
  ) -> Self {
    dialog(name, { $0[keyPath: path] ? () : nil }, clear: { $0[keyPath: path] = false }, { _ in nil })
  }

  /// A dialog needs a property that can be written.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - path: The property.
  /// - Returns: Nothing.
  @available(
    *, unavailable,
    message:
      "The property must hold something Encodable, and be a var that others may set to nil; of another type say what it asks: { .. }."
  )
  public static func dialog<Question>(
    _ name: String, _ path: any KeyPath<Model, Question?> & Sendable
  ) -> Self { fatalError("unavailable") }

  private static func dialog<Question>(
    _ name: String, _ read: @escaping (Model) -> Question?, clear: @escaping (Model) -> Void,
    _ value: @escaping (Question) throws -> Value?
  ) -> Self {
    Self(
      bind: { names, model in
        names.dialog(
          name, { model().flatMap(read) }, clear: { if let model = model() { clear(model) } }, value)
      }, show: nil, bindRows: { names, _ in names.refuse(inRow("dialog", name)) })
  }

  private static func inRow(_ role: String, _ name: String) -> String {
    "the \(role) \"\(name)\" of \(Model.self) is in a row, and only screens ask: bind it in the model of the list."
  }
}
