// SPDX-License-Identifier: Apache-2.0
package import MusubiWire

/// A ViewModel's request to the session that shows it: the session decides, because the ViewModel knows no
/// other screens.
package enum ScreenRequest {
  /// Show another screen on top.
  case present(Presentation)
  /// Ask the visitor something.
  case ask(name: String, value: Value?)
}

/// A screen that a ViewModel or a View wants to be shown.
package struct Presentation {
  /// The type of `subject`, by which the application's route is found.
  package let type: ObjectIdentifier
  /// The type's name, for messages.
  package let typeName: String
  /// Makes the content while the screen's names are collected, and tells whom it shows.
  package let make: (_ screen: String) -> (content: any ScreenContent, subject: AnyObject)

  /// A screen of a ViewModel that exists already.
  package init<ViewModel: InputOutputViewModel>(_ viewModel: ViewModel) {
    type = ObjectIdentifier(ViewModel.self)
    typeName = "\(ViewModel.self)"
    make = { screen in (InputOutputScreen(viewModel, name: screen), viewModel) }
  }

  /// A screen of an `@Observable` model that exists already.
  package init<Model: ObservableViewModel>(_ model: Model) {
    type = ObjectIdentifier(Model.self)
    typeName = "\(Model.self)"
    make = { screen in (ObservableScreen(model, name: screen), model) }
  }

  /// A screen of a View, which is made when its outlets can find their screen.
  package init<Next: View>(_ view: @escaping () -> Next) {
    type = ObjectIdentifier(Next.self)
    typeName = "\(Next.self)"
    make = { _ in
      let view = view()
      return (view, view)
    }
  }
}

/// A question that a ViewModel's output asks; the page shows it as a dialog.
///
/// The layer that knows Musubi declares the conformance: `extension DeleteQuestion: DialogContent {}`. The page's
/// `<dialog data-dialog="askDelete">` binds the members of the question; its answer is an ordinary input.
///
/// ```swift
/// struct DeleteQuestion: Encodable { let title: String }
/// struct Outputs: Encodable { let askDelete: Signal<DeleteQuestion> }
/// ```
public protocol DialogContent: Encodable {}

/// Thrown by a route's factory when the page's path names nothing that exists.
///
/// ```swift
/// application.screen("note", path: "/notes/<id>", page: "note.html") { context in
///   guard let note = notes[context.parameters["id"] ?? ""] else { throw ScreenNotFound() }
///   return NoteView(note)
/// }
/// ```
public struct ScreenNotFound: Error {
  /// The error; the page shows that there is nothing at its address.
  public init() {}
}
