// SPDX-License-Identifier: Apache-2.0
public import MusubiBinding
import MusubiRx

extension Application {
  /// Adds a screen whose model is a plain `@Observable` class; another ViewModel navigates to it by emitting one.
  ///
  /// - Parameters:
  ///   - name: The name in the page's `data-screen` and in `/live/<name>`.
  ///   - scope: Who shares the screen's state, when it is opened by its address.
  ///   - keepsRunning: Whether repeating timers (`interval`) of a screen in session scope go on while its page is not
  ///     connected; if not, the next beat comes when the page is back.
  ///   - path: Where the page is shown; `/<name>` if left out. A segment such as `<id>` stands for anything, and is in
  ///     the context's `parameters`.
  ///   - page: The page's file in the public folder.
  ///   - permission: Who may open the screen; everybody if left out.
  ///   - address: The address of the page that shows a certain model; `path` if left out.
  ///   - example: Makes a model to learn the names from when the server starts; needed if `make` throws
  ///     `ScreenNotFound` without an address.
  ///   - make: Makes the model for a page that was opened by its address; throws `ScreenNotFound` if there is none.
  public mutating func screen<Model: ObservableViewModel>(
    _ name: String, scope: Scope = .session, keepsRunning: Bool = false, path: String? = nil, page: String,
    for permission: Permission? = nil,
    address: (@Sendable (Model) -> String)? = nil, example: (@Sendable () -> Model)? = nil,
    make: @escaping @Sendable (ScreenContext) throws -> Model
  ) {
    let route = ScreenRoute(
      name: name, scope: scope, keepsRunning: keepsRunning, path: path, type: ObjectIdentifier(Model.self),
      address: Self.erased(address), permission: permission,
      example: example.map { example -> @Sendable () -> any ScreenContent in
        { ObservableScreen(example(), name: name) }
      }
    ) { context in ObservableScreen(try make(context), name: name) }
    add(route, page: page)
  }
}
